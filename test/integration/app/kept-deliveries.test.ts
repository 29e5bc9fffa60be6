import fs from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import type { DeliveryDetail, DeliveryRecord, DryRun, RefusedRequests } from '../../../src/host/records.js';
import type { Client, PostOptions } from '../../support/client.js';
import { article, testData, update } from '../../support/events.js';
import { sharedHere, startHere } from '../../support/receiver-here.js';
import { SECRET, signature } from '../../support/signer.js';
import { folderWith, writeFiles } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

/** Shows what the host keeps, and counts what runs of its own code. */
const SHOWING = `let calls = 0;
export default { name: 'showing', receiver(host) {
  host.addFilter('article.draft', (draft) => { calls++; return draft; });
  for (const name of ['article.published', 'article.updated', 'delivery.accepted', 'delivery.refused'])
    host.addAction(name, () => { calls++; });
  for (const on of ['article.published', 'article.updated'])
    host.job('after-' + on.slice(8), { on, run: () => { calls++; } });
  const adapter = { verify: ({ headers }) => headers['x-token'] === 'right',
    receive: ({ id }) => ({ id, title: id, contentHtml: '<p>Text.</p>' }) };
  host.adapter({ ...adapter, path: '/quiet' });
  host.adapter({ ...adapter, path: '/open', keepsBodies: true });
  const shown = (detail) => detail && { ...detail, body: detail.body && detail.body.toString('latin1') };
  host.routes((router) => {
    router.get('/calls', (context) => { context.body = { calls }; });
    router.get('/all', async (context) => { context.body = await host.deliveries({ limit: 1000, ...context.query }); });
    router.get('/refusals', async (context) => { context.body = await host.refusals(); });
    router.get('/one/:key', async (context) => { context.body = shown(await host.delivery(context.params.key)) ?? {}; });
    router.get('/dry/:key', async (context) => { context.body = await host.dryRun(context.params.key) ?? {}; });
  });
} };`;

const CONFIG = { site: false, git: false, plugins: ['./showing.mjs'] } as const;

const receiver = sharedHere(test, { config: { ...CONFIG, logLevel: 'trace' } }, (dir) =>
  writeFiles(dir, { 'showing.mjs': SHOWING }),
);

type Detail = Omit<DeliveryDetail, 'body'> & { readonly body: string | null };

/** What the plugin shows. */
const shownAt = (origin: string) => {
  const get = async <T>(path: string) => (await (await fetch(`${origin}/-/showing${path}`)).json()) as T;
  return {
    all: (query = '') => get<DeliveryRecord[]>(`/all${query}`),
    one: (key: string) => get<Partial<Detail>>(`/one/${key}`),
    dry: (key: string) => get<Partial<DryRun>>(`/dry/${key}`),
    refusals: () => get<RefusedRequests[]>('/refusals'),
    calls: async () => (await get<{ calls: number }>('/calls')).calls,
  };
};

/** Sends each kind of delivery once, refused and not. @returns how many were verified. */
async function sendAll({ post, raw, find }: Client, options: PostOptions): Promise<number> {
  const data = article({ id: 'soil', slug: 'soil', title: '<script>alert("ä")</script>' });
  const { json } = await post('article.published', data, options);
  const { revision_id: base_revision_id } = await find(json.url);
  const target = { target_id: data.id, target_url: json.url, base_revision_id };
  await post('article.published', data);
  await post('webhook.test', testData());
  await post('article.lookup', { target_url: 'https://garden.example/articles/none/' });
  await post('article.updated', update(target));
  await post('article.updated', update({ ...target, base_revision_id: 'not that one' }));
  await post('article.updated', update({ ...target, target_id: 'no-one' }));
  await post('article.updated', { ...update(target), revision_id: 'x' });
  await raw(JSON.stringify({ event: SECRET }));
  await raw('{"event":');
  return 11;
}

/** The texts of all files below a folder. */
function textsBelow(folder: string): string {
  const files = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile());
  return files.map(({ parentPath, name }) => fs.readFileSync(join(parentPath, name), 'latin1')).join('\n');
}

let count = 0;
test.serial.before(async () => {
  const headers = { Cookie: 'a=not-for-disks', 'X-Proxy-Jwt': 'not-for-disks-either' };
  count = await sendAll(receiver(), { headers });
  await until('all are listed', async () => (await shownAt(receiver().origin).all()).length === count);
});

test.serial(
  'a delivery is kept as it came with its answer, without what proves its sender, and makes one line of the log; what is not verified is counted',
  async (t) => {
    const { origin, raw, close, log } = receiver();
    const { all, one, refusals } = shownAt(origin);
    const forged = await raw('{"unverified":"body"}', {
      'X-Service-Signature': signature('another', SECRET),
      'User-Agent': 'unverified-agent',
    });
    t.is(forged.status, 401);
    await raw('{"unverified":"body"}', { 'X-Service-Signature': undefined });
    const send = (path: string, id: string, token = 'right') => {
      const body = JSON.stringify({ id, password: 'in-the-body' });
      return fetch(`${origin}${path}`, { method: 'POST', body, headers: { 'X-Token': token } });
    };
    for (const path of ['/quiet', '/open']) t.is((await send(path, `of${path.slice(1)}`)).status, 200);
    t.is((await send('/open', 'unverified-too', 'wrong')).status, 401);

    await until('what was verified is listed', async () => (await all()).length === count + 2);
    await until('what was not is counted', async () => (await refusals()).length === 3);
    const found = await Promise.all((await all()).map(({ key }) => one(key)));
    const by = (id: string) => found.findLast((detail) => detail.id === id) ?? {};
    const sent = by('soil');
    t.like(sent, { event: 'article.published', status: 200, outcome: 'stored' });
    t.like(JSON.parse(sent.answer ?? ''), { received: true, id: 'soil' });
    t.regex(Buffer.from(sent.body ?? '', 'latin1').toString(), /<script>alert\(\\"ä\\"\)/);
    const shown = new Map(sent.headers?.map(({ name, value }) => [name.toLowerCase(), value]));
    t.is(shown.get('x-service-event'), 'article.published');
    t.is(shown.get('content-type'), 'application/json');
    for (const name of ['x-service-signature', 'cookie', 'x-proxy-jwt']) t.is(shown.get(name), null);
    t.like(by('ofquiet'), { adapter: 'showing', body: null, answer: null, outcome: 'stored' });
    t.regex(by('ofopen').body ?? '', /in-the-body/);
    t.regex(by('ofopen').answer ?? '', /ofopen/);

    t.deepEqual(
      (await refusals()).map(({ adapter, outcome, status, count }) => [adapter, outcome, status, count]),
      [
        ['showing', 'SIGNATURE_MISMATCH', 401, 1],
        [null, 'SIGNATURE_MISSING', 401, 1],
        [null, 'SIGNATURE_MISMATCH', 401, 1],
      ],
    );
    await close();
    const kept = textsBelow(join(receiver.dir, '.pressmark'));
    const bodies = [...kept.matchAll(/"body":"([^"]+)"/g)].map(([, body = '']) =>
      Buffer.from(body, 'base64'),
    );
    const texts = [kept, ...bodies].join('\n');
    t.true(texts.includes('ofopen'));
    const hex = signature('another', SECRET).replace('sha256=', '');
    for (const hidden of [SECRET, hex, 'not-for-disks', 'unverified', 'right'])
      t.false(texts.includes(hidden), hidden);
    t.is(texts.split('in-the-body').length, 2, 'only where the adapter keeps bodies');

    const told = log.filter(({ outcome }) => outcome !== undefined);
    t.is(told.length, count + 2 + 3);
    const refused = { level: 40, msg: 'delivery refused' };
    for (const expected of [
      { level: 30, event: 'article.published', id: 'soil', outcome: 'stored', status: 200, msg: 'delivery' },
      { ...refused, event: 'article.updated', id: 'soil', outcome: 'REVISION_CONFLICT', status: 409 },
      { ...refused, outcome: 'EVENT_UNSUPPORTED', status: 400 },
    ]) {
      // In no certain order: each line comes when its connection is closed.
      const lines = told.filter(({ time, ms, ...line }) => isDeepStrictEqual(line, expected));
      t.is(lines.length, 1, JSON.stringify([expected, told]));
    }
    for (const hidden of [SECRET, hex]) t.false(JSON.stringify(log).includes(hidden));
  },
);

test.serial(
  'a dry run answers what the delivery would be answered now, stores nothing, and runs no code of a plugin',
  async (t) => {
    await receiver().close(); // which writes what it keeps
    // The same deliveries come to a site without articles, in their order.
    const dir = folderWith(t, { 'showing.mjs': SHOWING });
    fs.mkdirSync(join(dir, '.pressmark'));
    for (const name of ['deliveries.jsonl', 'deliveries'])
      fs.cpSync(join(receiver.dir, '.pressmark', name), join(dir, '.pressmark', name), { recursive: true });
    const second = await startHere(t, { config: CONFIG, dir });
    const { all, one, dry, calls } = shownAt(second.origin);
    const records = (await all()).reverse().filter(({ adapter }) => adapter === null);
    const outcomes: string[] = [];
    for (const { key, event } of records) {
      const sent = await one(key);
      const before = [textsBelow(join(dir, 'content')), await calls()];
      const foreseen = await dry(key);
      t.deepEqual([textsBelow(join(dir, 'content')), await calls()], before, 'nothing has happened');
      const contract = sent.headers?.find(({ name }) => name.toLowerCase() === 'x-service-contract')?.value;
      const answer = await second.raw(Buffer.from(sent.body ?? '', 'latin1'), {
        'X-Service-Contract': contract ?? undefined,
      });
      t.is(foreseen.status, answer.status, key);
      t.deepEqual(foreseen.body, answer.text, key);
      const { outcome = '', unasked } = foreseen;
      outcomes.push(`${event} ${outcome}${unasked?.length === 0 ? '' : ` after ${unasked}`}`);
      const isStored = outcome === 'stored'; // then a filter, two actions and a job have run
      await until(
        'its hooks have run',
        async () => (await calls()) === Number(before[1]) + (isStored ? 4 : 1),
      );
    }
    t.deepEqual(outcomes, [
      'article.published stored after showing',
      'article.lookup found',
      'article.published known',
      'webhook.test tested',
      'article.lookup ARTICLE_NOT_FOUND',
      'article.updated stored after showing',
      'article.updated REVISION_CONFLICT',
      'article.updated ARTICLE_NOT_FOUND',
      'article.updated BODY_INVALID',
      'null EVENT_UNSUPPORTED',
      'null BODY_INVALID',
    ]);

    const again = (at: number) => dry(records[at]?.key ?? '');
    t.like(await again(0), { status: 200, outcome: 'known' });
    t.like(await again(5), { status: 200, outcome: 'retry' });
    const [file = ''] = fs
      .readdirSync(join(dir, 'content'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'));
    fs.appendFileSync(join(dir, 'content', file), 'By hand.\n');
    t.like(await again(5), { status: 409, outcome: 'REVISION_CONFLICT' });
    fs.rmSync(join(dir, 'content', file));
    await until('the article is known to be deleted', async () => (await again(0)).outcome === 'deleted');
    t.deepEqual(await dry('000000000-00000000-0'), {});
  },
);
