import fs from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import type { DeliveryDetail, DeliveryRecord, DryRun, RefusedRequests } from '../../../src/host/records.js';
import type { Client, PostOptions } from '../../support/client.js';
import { article, testData, update } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { SECRET, signature } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
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

/** A site's folder with the plugin above. */
function siteFolder(t: ExecutionContext): string {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'showing.mjs'), SHOWING);
  return dir;
}

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
async function sendAll(receiver: Client): Promise<number> {
  const data = article({ id: 'soil', slug: 'soil' });
  const { json } = await receiver.post('article.published', data);
  const { revision_id: base_revision_id } = await receiver.find(json.url);
  const target = { target_id: data.id, target_url: json.url, base_revision_id };
  await receiver.post('article.published', data);
  await receiver.post('webhook.test', testData());
  await receiver.post('article.lookup', { target_url: 'https://garden.example/articles/none/' });
  await receiver.post('article.updated', update(target));
  await receiver.post('article.updated', update({ ...target, base_revision_id: 'not that one' }));
  await receiver.post('article.updated', update({ ...target, target_id: 'no-one' }));
  await receiver.post('article.updated', { ...update(target), revision_id: 'x' });
  await receiver.post('article.archived', data);
  await receiver.raw('{"event":');
  return 11;
}

/** The texts of all files below a folder. */
function textsBelow(folder: string): string {
  const files = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile());
  return files.map(({ parentPath, name }) => fs.readFileSync(join(parentPath, name), 'latin1')).join('\n');
}

test('a delivery is kept as it came with its answer, without what proves its sender; what is not verified is counted', async (t) => {
  const receiver = await startHere(t, { config: CONFIG, dir: siteFolder(t) });
  const { all, one, refusals } = shownAt(receiver.origin);
  const data = article({ title: '<script>alert("ä")</script>' });
  const headers: PostOptions['headers'] = {
    Cookie: 'a=not-for-disks',
    'X-Proxy-Jwt': 'not-for-disks-either',
  };
  const answer = await receiver.post('article.published', data, { headers });
  const forged = await receiver.raw('{"unverified":"body"}', {
    'X-Service-Signature': signature('another', SECRET),
    'User-Agent': 'unverified-agent',
  });
  t.is(forged.status, 401);
  await receiver.raw('{"unverified":"body"}', { 'X-Service-Signature': undefined });
  const send = (path: string, id: string, token = 'right') => {
    const body = JSON.stringify({ id, password: 'in-the-body' });
    return fetch(`${receiver.origin}${path}`, { method: 'POST', body, headers: { 'X-Token': token } });
  };
  for (const path of ['/quiet', '/open']) t.is((await send(path, `of${path.slice(1)}`)).status, 200);
  t.is((await send('/open', 'unverified-too', 'wrong')).status, 401);

  await until('what was verified is listed', async () => (await all()).length === 3);
  await until('what was not is counted', async () => (await refusals()).length === 3);
  const found = await Promise.all((await all()).map(({ key }) => one(key)));
  const by = (id: string) => found.find((detail) => detail.id === id) ?? {};
  const sent = by(data.id);
  t.like(sent, { event: 'article.published', status: 200, outcome: 'stored', answer: answer.text });
  t.like(JSON.parse(Buffer.from(sent.body ?? '', 'latin1').toString()), { data: { title: data.title } });
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
  await receiver.close();
  const lines = textsBelow(join(receiver.dir, '.pressmark'));
  const bodies = [...lines.matchAll(/"body":"([^"]+)"/g)].map(([, body = '']) => Buffer.from(body, 'base64'));
  const texts = [lines, ...bodies].join('\n');
  t.true(texts.includes('ofopen'));
  const hex = signature('another', SECRET).replace('sha256=', '');
  for (const hidden of [SECRET, hex, 'not-for-disks', 'unverified', 'right'])
    t.false(texts.includes(hidden), hidden);
  t.is(texts.split('in-the-body').length, 2, 'only where the adapter keeps bodies');
});

test('a dry run answers what the delivery would be answered now, stores nothing, and runs no code of a plugin', async (t) => {
  const first = await startHere(t, { config: CONFIG, dir: siteFolder(t) });
  const count = await sendAll(first);
  await until('all are listed', async () => (await shownAt(first.origin).all()).length === count);
  await first.close();

  // The same deliveries come to a site without articles, in their order.
  const dir = siteFolder(t);
  fs.mkdirSync(join(dir, '.pressmark'));
  for (const name of ['deliveries.jsonl', 'deliveries'])
    fs.cpSync(join(first.dir, '.pressmark', name), join(dir, '.pressmark', name), { recursive: true });
  const second = await startHere(t, { config: CONFIG, dir });
  const { all, one, dry, calls } = shownAt(second.origin);
  const records = (await all()).reverse();
  t.is(records.length, count);
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
    await until('its hooks have run', async () => (await calls()) === Number(before[1]) + (isStored ? 4 : 1));
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
});

test('each delivery makes one line of the log that says what became of it, and none contains the secret', async (t) => {
  const receiver = await startHere(t, { config: { site: false, git: false, logLevel: 'trace' } });
  const data = article();
  const { json } = await receiver.post('article.published', data);
  const stale = update({ target_id: data.id, target_url: json.url, base_revision_id: 'not that one' });
  t.is((await receiver.post('article.updated', stale)).status, 409);
  const other = 'other-secret-other-secret-other';
  t.is((await receiver.post('article.published', article(), { secret: other })).status, 401);
  const bare = JSON.stringify({ event: SECRET });
  t.is((await receiver.raw(bare)).status, 400);
  await receiver.close();

  // In no certain order: each line comes when its connection is closed.
  const told = receiver.log.filter(({ outcome }) => outcome !== undefined);
  const lines = told.map(({ time, ms, ...line }) => (Number(time) > 0 && Number(ms) >= 0 ? line : undefined));
  const refused = { level: 40, msg: 'delivery refused' };
  const expected = [
    { level: 30, event: 'article.published', id: data.id, outcome: 'stored', status: 200, msg: 'delivery' },
    { ...refused, event: 'article.updated', id: data.id, outcome: 'REVISION_CONFLICT', status: 409 },
    { ...refused, outcome: 'SIGNATURE_MISMATCH', status: 401 },
    { ...refused, outcome: 'EVENT_UNSUPPORTED', status: 400 },
  ];
  t.is(lines.length, expected.length);
  for (const line of expected)
    t.true(
      lines.some((one) => isDeepStrictEqual(one, line)),
      JSON.stringify([line, lines]),
    );
  const all = JSON.stringify(receiver.log);
  for (const hidden of [SECRET, other, signature(bare).replace('sha256=', '')]) t.false(all.includes(hidden));
});
