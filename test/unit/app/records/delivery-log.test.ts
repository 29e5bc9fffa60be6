import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openDeliveryLog } from '../../../../src/app/records/delivery-log.js';
import { createLog } from '../../../../src/log.js';
import type { Exchange, NewRecord } from '../../../../src/webhook/record.js';
import { tempDir } from '../../../support/temp-dir.js';

const record = (n: number): NewRecord => ({
  at: new Date(n).toISOString(),
  event: 'article.published',
  adapter: null,
  id: `a-${n}`,
  url: `https://garden.example/${'x'.repeat(400)}`,
  outcome: 'stored',
  status: n % 10 === 0 ? 500 : 200,
  ms: 1,
});

const SENT: Exchange = {
  headers: [{ name: 'Content-Type', value: 'application/json' }],
  body: Buffer.from('{"event":"article.published"}'),
  answer: '{"received":true}',
};

const open = (dir: string, secrets: readonly string[] = []) =>
  openDeliveryLog(dir, createLog({ level: 'silent', terminal: false }), () => secrets);

const bytesIn = (folder: string) =>
  fs.readdirSync(folder).reduce((sum, name) => sum + fs.statSync(join(folder, name)).size, 0);

test('a condition that there is not is an error that names the nearest', async (t) => {
  const log = open(tempDir(t));
  await t.throwsAsync(log.list({ refusd: true } as never), {
    code: 'USAGE',
    message: /^deliveries: it has the unknown key "refusd"; did you mean refused\?;/,
  });
  await log.close();
});

test('the last thousand deliveries are kept, whatever is sent, and a line that was cut off costs no other', async (t) => {
  const dir = tempDir(t);
  const path = join(dir, 'deliveries.jsonl');
  const { notes, list, detail, close } = open(dir);
  for (let n = 0; n < 3_000; n++) {
    notes.delivery(record(n), SENT);
    if (n % 500 === 0) await close();
  }
  notes.delivery({ ...record(3_000), id: 'y'.repeat(10_000) }, SENT);
  const all = await list({ limit: 10_000 });
  t.is(all.length, 1_000);
  t.is(all[0]?.id?.length, 500);
  t.is(all[1]?.id, 'a-2999');
  t.is(new Set(all.map(({ key }) => key)).size, 1_000);
  t.true(fs.statSync(path).size < 2_000_000);
  for (const { key } of [...all.slice(0, 3), ...all.slice(-3)])
    t.deepEqual((await detail(key))?.body, SENT.body);
  fs.appendFileSync(path, '{"at":"2026-');
  notes.delivery(record(6_001), SENT);
  await close();
  const again = open(dir);
  t.deepEqual(
    (await again.list({ limit: 2 })).map(({ id }) => id),
    ['a-6001', 'y'.repeat(500)],
  );
  t.is((await again.list({ id: 'a-2990', refused: true })).length, 1);
  t.deepEqual(await again.list({ id: 'a-2990', refused: false }), []);
  t.deepEqual(await again.list({ event: 'webhook.test' }), []);
  t.is((await again.list({ text: 'GARDEN.example', limit: 10_000 })).length, 1_000);
  t.deepEqual(
    (await again.list({ text: 'A-600', status: 200 })).map(({ id }) => id),
    ['a-6001'],
  );
});

test('what was sent and answered is kept byte by byte, at most 50 MB of it, readable for the owner alone', async (t) => {
  const dir = tempDir(t);
  const folder = join(dir, 'deliveries');
  const log = open(dir);
  const body = Buffer.concat([Buffer.from('\n{"a":\n'), Buffer.alloc(900_000, 0xff), Buffer.from('\n\n')]);
  for (let n = 0; n < 60; n++) {
    log.notes.delivery(record(n), { ...SENT, body, answer: n % 2 === 0 ? '' : 'ä\n{}' });
    if (n % 5 === 4) await log.close();
  }
  t.true(bytesIn(folder) <= 50_000_000);
  t.true(bytesIn(folder) > 40_000_000);
  const all = await log.list({ limit: 1_000 });
  t.is(all.length, 60);
  const [newest, second] = await Promise.all(all.slice(0, 2).map(({ key }) => log.detail(key)));
  t.like(newest, { id: 'a-59', answer: 'ä\n{}', headers: SENT.headers });
  t.like(second, { id: 'a-58', answer: '' });
  t.true(newest?.body?.equals(body));
  const oldest = await log.detail(all.at(-1)?.key ?? '');
  t.like(oldest, { id: 'a-0', body: null, answer: null, headers: [] });
  for (const name of fs.readdirSync(folder)) t.is(fs.statSync(join(folder, name)).mode & 0o777, 0o600);
  t.is(fs.statSync(folder).mode & 0o777, 0o700);
  for (const key of ['', '../../etc/passwd', '000000000-00000000-0', `${all[0]?.key}/..`])
    t.is(await log.detail(key), undefined);
});

test('a file of deliveries that a killed process has written by half gives those that are whole', async (t) => {
  const dir = tempDir(t);
  const folder = join(dir, 'deliveries');
  const log = open(dir);
  for (let n = 1; n <= 3; n++) log.notes.delivery(record(n), SENT);
  await log.close();
  const [name = ''] = fs.readdirSync(folder);
  const path = join(folder, name);
  const whole = fs.readFileSync(path);
  const keys = (await log.list()).map(({ key }) => key).reverse();
  for (let length = whole.length; length >= 0; length -= 97) {
    fs.truncateSync(path, length);
    const kept = await Promise.all(
      keys.map(async (key) => (await open(dir).detail(key))?.body?.equals(SENT.body ?? Buffer.of())),
    );
    const count = Math.floor(length / (whole.length / 3));
    t.deepEqual(
      kept,
      [0, 1, 2].map((at) => (at < count ? true : undefined)),
      `${length} bytes`,
    );
  }
});

test('several receivers keep deliveries in one folder, and one that cannot be written costs only what was sent', async (t) => {
  const dir = tempDir(t);
  const [one, other] = [open(dir), open(dir)];
  for (const [n, { notes }] of [one, other, one].entries())
    notes.delivery(record(n), { ...SENT, answer: `${n}` });
  await Promise.all([one.close(), other.close()]);
  const all = await one.list();
  t.deepEqual(all.map(({ id }) => id).toSorted(), ['a-0', 'a-1', 'a-2']);
  for (const { key, id } of all) t.is((await one.detail(key))?.answer, id?.slice(2));

  const blocked = tempDir(t);
  fs.writeFileSync(join(blocked, 'deliveries'), 'a file in the way');
  const log = open(blocked);
  log.notes.delivery(record(1), SENT);
  const [kept] = await log.list();
  t.like(await log.detail(kept?.key ?? ''), { id: 'a-1', body: null });
  await log.close();
});

test('no secret is kept of a delivery, wherever it stands', async (t) => {
  const dir = tempDir(t);
  const secret = 'sécret-of-the-owner';
  const log = open(dir, [secret, 'never seen']);
  log.notes.delivery(record(1), {
    headers: [{ name: 'User-Agent', value: `agent ${secret}` }],
    body: Buffer.concat([Buffer.of(0xff), Buffer.from(`ä ${secret} ö ${secret}`)]),
    answer: `"${secret}"`,
  });
  const [{ key } = { key: '' }] = await log.list();
  t.like(await log.detail(key), {
    headers: [{ name: 'User-Agent', value: 'agent [redacted]' }],
    body: Buffer.concat([Buffer.of(0xff), Buffer.from('ä [redacted] ö [redacted]')]),
    answer: '"[redacted]"',
  });
  const texts = fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile());
  for (const { parentPath, name } of texts) t.false(fs.readFileSync(join(parentPath, name)).includes(secret));
});

test('of requests that could not be verified, the last hundred are counted', async (t) => {
  const dir = tempDir(t);
  const log = open(dir);
  for (let count = 1; count <= 101; count++)
    log.notes.refused({ adapter: null, outcome: 'SIGNATURE_MISMATCH', status: 401, count });
  await log.close();
  const refusals = await open(dir).refusals();
  t.is(refusals.length, 100);
  t.like(refusals[0], { outcome: 'SIGNATURE_MISMATCH', count: 101 });
});

test('a body that is longer than what may wait for the disk costs no request that comes after it is written', async (t) => {
  const { notes, list, detail, close } = open(tempDir(t));
  notes.delivery(record(1), { ...SENT, body: Buffer.alloc(9_000_000, 'x') });
  notes.delivery(record(2), SENT);
  await close();
  notes.delivery(record(3), SENT);
  const bodies = await Promise.all((await list()).map(async ({ key }) => (await detail(key))?.body?.length));
  t.deepEqual(bodies, [SENT.body?.length, undefined, 9_000_000]);
  await close();
});
