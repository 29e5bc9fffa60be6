import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { articleId } from '../../../src/sender/article/compose.js';
import { readDraft } from '../../../src/sender/article/draft.js';
import { queued } from '../../../src/sender/delivery/delivery.js';
import { type Answering, type Got, reply } from '../../support/endpoint.js';
import { makeEntry, senderTo, standing } from '../../support/sender.js';

// Not here: what `pressmark check-sender` proves over the wire (test/e2e/check-sender), and that a person's edit is replaced by
// force alone (test/integration/cli/sender).

const URL = 'https://g.example/articles/bees/';
const ALL = ['article.published', 'article.lookup', 'article.updated'];
const tested = { received: true, contract_version: 3, capabilities: ALL };

interface Request {
  readonly event: string;
  readonly data: Record<string, unknown>;
}
const requestOf = ({ body }: Got) => JSON.parse(body.toString()) as Request;

/** A receiver of Version 3 with one article, which was published from bees.md and which a test may edit. */
async function published(
  t: ExecutionContext,
  over: Readonly<Record<string, () => Answering | undefined>> = {},
) {
  const content_html = '<p>Walked home.</p>\n<!-- svc:item:stored -->';
  const stored: Record<string, unknown> = {
    id: 'stored',
    url: URL,
    revision_id: 'r1',
    title: 'Bees',
    content_html,
  };
  const usual = ({ event, data }: Request): Answering => {
    if (event === 'webhook.test') return reply(200, tested);
    if (event === 'article.lookup')
      return reply(200, { received: true, contract_version: 3, target: stored });
    if (stored.revision_id !== data.base_revision_id)
      return reply(409, { error: 'Article revision conflict' });
    for (const name of ['title', 'content_html', 'revision_id']) stored[name] = data[name];
    return reply(200, { received: true, contract_version: 3, revision_id: data.revision_id });
  };
  const sender = await senderTo(t, (got, response) => {
    const request = requestOf(got);
    const answer = over[request.event]?.() ?? usual(request);
    return answer(got, response);
  });
  const made = makeEntry(sender.connector, 'stored');
  const { payload } = made.record;
  const record = {
    ...made.record,
    status: 'success',
    nextRetryAt: null,
    payload: { ...payload, data: { ...payload.data, title: 'Bees', content_html } },
  } as const;
  await sender.queue.add([{ ...made, source: 'bees.md', liveUrl: URL, record }]);
  const updates = () =>
    sender.endpoint.got.filter((got) => requestOf(got).event === 'article.updated').length;
  const refresh = (url = URL, force = false, file = sender.path) => sender.refresh(url, force, file);
  return { ...sender, stored, updates, refresh };
}

test('an edit after a refresh is seen by the revision, also where title and text are the same', async (t) => {
  const { stored, updates, refresh } = await published(t);
  await refresh();
  stored.revision_id = 'edit-1';
  await t.throwsAsync(refresh(), { message: /its revision was "refresh-[^"]+" and is "edit-1"/ });
  stored.title = 'Bees and wasps';
  await t.throwsAsync(refresh(), { message: /its title was "Bees, anew" and is "Bees and wasps"/ });
  t.is(updates(), 1);
});

test('a refresh whose answer was lost may have landed: its text is not taken for a person’s', async (t) => {
  const { stored, queue, clock, refresh } = await published(t);
  const lost = await refresh();
  const { url, payload } = lost.record;
  await queue.add([
    {
      ...lost,
      id: 'lost',
      record: {
        ...queued(url, payload, clock.now()),
        payload: { ...payload, data: { ...payload.data, revision_id: 'r-lost' } },
      },
    },
  ]);
  stored.revision_id = 'r-lost';
  t.is((await refresh()).record.status, 'success');
});

test('a draft is not sent, and another file’s article is replaced only where that file is gone', async (t) => {
  const { state, stored, updates, path, refresh } = await published(t);
  fs.writeFileSync(path, '---\ntitle: Bees\ndraft: true\n---\nText.\n');
  await t.throwsAsync(refresh(URL, true), { message: /bees\.md is left out: it is a draft/ });
  fs.writeFileSync(path, '---\ntitle: Bees\ndate: 9999-01-01\n---\nText.\n');
  await t.throwsAsync(refresh(), { message: /is left out: its date is still to come: 9999-01-01/ });
  const other = join(state.dir, 'wasps.md');
  fs.writeFileSync(other, '---\ntitle: Wasps\n---\nText.\n');
  await t.throwsAsync(refresh(URL, false, other), {
    message: /was made from "bees\.md", not from "wasps\.md"/,
  });
  t.deepEqual([updates(), stored.title], [0, 'Bees']);
  fs.rmSync(path);
  t.is((await refresh(URL, false, other)).record.status, 'success', 'a file that is gone was renamed');
});

test('a refused refresh is reported by the article’s delivery, with its reason and time, until a later one has landed', async (t) => {
  let version = 1;
  let busy = true;
  const { connector, queue, clock, refresh, worker } = await published(t, {
    'webhook.test': () => reply(200, { ...tested, contract_version: version }),
    'article.updated': () => (busy ? reply(503) : undefined),
  });
  const other = { ...makeEntry(connector, 'other'), liveUrl: 'https://g.example/articles/wasps/' };
  await queue.add([other]);
  const refused = () => [...queue.list()].map((entry) => entry.refused).filter((one) => one !== null);
  const error = await t.throwsAsync(refresh(URL.slice(0, -1)), { message: /Version 2 receiver is required/ });
  t.deepEqual(refused(), [{ at: '2026-11-19T08:00:00.000Z', why: error?.message ?? '' }]);
  t.is(queue.read(other.id)?.refused, null);

  version = 3;
  const begun = await refresh(URL, true);
  t.deepEqual([begun.record.status, refused().length], ['pending', 1], 'none has landed yet');
  busy = false;
  clock.pass(60_000);
  await worker().sendDue();
  t.deepEqual([queue.read(begun.id)?.record.status, refused().length], ['success', 0]);

  version = 1;
  clock.pass(60_000);
  await t.throwsAsync(refresh());
  t.is(refused()[0]?.at, '2026-11-19T08:02:00.000Z');
});

test('409-test-of-a-retry: a 409 to the webhook.test before a retry is no conflict, and the update can be sent again', async (t) => {
  let busy = false;
  const { clock, queue, refresh, worker } = await published(t, {
    'webhook.test': () => (busy ? reply(409, 'locked') : undefined),
    'article.updated': () => reply(503),
  });
  const entry = await refresh();
  busy = true;
  for (const minutes of [1, 5, 30, 120, 360]) {
    clock.pass(minutes * 60_000);
    await worker().sendDue();
  }
  t.deepEqual(standing(queue.read(entry.id) ?? entry), ['failed', 6, null, 'webhook.test: HTTP 409: locked']);
  t.is((await queue.ask(entry.id, 'retry'))?.record.status, 'pending');
});

test('an update is stopped when its receiver has become a Version 1 receiver meanwhile', async (t) => {
  let version = 3;
  const { updates, clock, queue, refresh, worker } = await published(t, {
    'webhook.test': () => reply(200, { ...tested, contract_version: version }),
    'article.updated': () => reply(503),
  });
  const entry = await refresh();
  version = 1;
  clock.pass(60_000);
  await worker().sendDue();
  const [status, attempts, code, error] = standing(queue.read(entry.id) ?? entry);
  t.deepEqual([status, attempts, code], ['failed', 1, 503], 'nothing was sent: no attempt');
  t.regex(error ?? '', /a Version 2 receiver is required/);
  t.is(updates(), 1);
});

test('a person’s edit is seen, and the date of publication kept, also where the receiver has ids of its own', async (t) => {
  const { stored, updates, endpoint, refresh } = await published(t);
  stored.id = '42';
  t.is((await refresh()).record.status, 'success');
  const { data } = requestOf(endpoint.got.at(-1) ?? t.fail());
  t.regex(String(data.json_ld), /"datePublished":"2026-11-19T08:00:00.000Z"/);
  stored.revision_id = 'edit-1';
  await t.throwsAsync(refresh(), { message: /its revision was "refresh-[^"]+" and is "edit-1"/ });
  t.is(updates(), 1);
});

test('an edit before the first refresh is seen where the receiver has ids of its own', async (t) => {
  const { stored, updates, refresh } = await published(t);
  Object.assign(stored, { id: '42', content_html: '<p>Walked home, edited.</p>', revision_id: 'edit-1' });
  await t.throwsAsync(refresh(), { message: /is not what was delivered last from here: its text was/ });
  t.is(updates(), 0);
});

test('a refused refresh is reported by the file’s delivery where the receiver has not answered its URL, as one of Version 1', async (t) => {
  let version = 1;
  const { state, connector, queue, path, clock, refresh } = await published(t, {
    'webhook.test': () => reply(200, version === 1 ? { received: true } : tested),
  });
  const id = articleId(readDraft(path), connector, state.dir, path);
  const made = makeEntry(connector, id);
  const record = { ...made.record, status: 'success', nextRetryAt: null } as const;
  await queue.add([{ ...made, source: 'bees.md', record }]);
  await t.throwsAsync(refresh('https://g.example/elsewhere/'), { message: /Version 2 receiver is required/ });
  t.regex(queue.read(made.id)?.refused?.why ?? '', /Version 2 receiver is required/);
  version = 3;
  clock.pass(1000);
  t.is((await refresh()).record.status, 'success');
  t.is(queue.read(made.id)?.refused, null, 'a later one has landed');
});
