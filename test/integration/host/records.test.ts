import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createTestSite } from '../../../src/testing/testing.js';
import { runHere } from '../../support/in-process.js';

const COUNTER = `export default { name: 'counter', receiver(host) {
  let count = 0;
  host.addAction('article.published', () => { count++; });
  host.provide('counter.count', () => count);
  host.health(() => [{ level: 'warn', text: 'it counts from 0', fix: 'wait' }, { level: 'ok', text: 'it counts' }]);
  host.health(() => { throw new Error('no connection'); });
  host.health(() => 'fine');
} };`;

const SHOWN = `export default { name: 'a-first', requires: { counter: '*' }, receiver(host) {
  const count = host.use('counter.count');
  host.adapter({ path: '/in', verify: ({ headers }) => headers['x-ok'] === 'yes',
    receive: ({ id }) => ({ id, title: id, contentHtml: '<p>Text.</p>' }) });
  host.routes((router) => {
    router.get('/all', async (context) => {
      context.body = { count: count(), deliveries: await host.deliveries(context.query.refused ? { refused: true } : {}) };
    });
    router.get('/status', async (context) => { context.body = await host.status(); });
  });
} };`;

const files = { 'plugins/counter.mjs': COUNTER, 'plugins/a-first.mjs': SHOWN };

test('a plugin sees the last deliveries, how the site stands, and what another plugin provides', async (t) => {
  const env = { PRESSMARK_STATUS_TOKEN: 'token-of-the-owner' };
  const site = await createTestSite({ files, env, config: { site: false } });
  t.teardown(site.close);
  const { id, url } = await site.deliver({ title: 'Soil' });
  await site.deliver({ id: '' });
  await site.fetch('/webhook', { method: 'POST', body: '{"secret":"not verified"}' });
  const send = (ok: string) =>
    site.fetch('/in', { method: 'POST', body: JSON.stringify({ id: 'from-afar' }), headers: { 'x-ok': ok } });
  t.is((await send('yes')).status, 200);
  t.is((await send('no')).status, 401);
  const all = async (query = '') => (await (await site.fetch(`/-/a-first/all${query}`)).json()) as Shown;
  await site.until('what was verified is noted, and counted', async () => {
    const { count, deliveries } = await all();
    return count === 2 && deliveries.length === 3;
  });
  const { deliveries } = await all();
  t.like(deliveries, [
    { adapter: 'a-first', event: null, id: 'from-afar', outcome: 'stored', status: 200 },
    { event: null, status: 400, outcome: 'BODY_INVALID', url: null },
    { adapter: null, event: 'article.published', id, url, outcome: 'stored', status: 200 },
  ]);
  const refused = await all('?refused=1');
  t.deepEqual(
    refused.deliveries.map(({ status }) => status),
    [400],
  );
  const kept = join(site.dir, '.pressmark/deliveries.jsonl');
  t.notRegex(fs.readFileSync(kept, 'utf8'), /not verified|Out of the wind/);
  t.is(fs.statSync(kept).mode & 0o777, 0o600);

  const status = (await (await site.fetch('/-/a-first/status')).json()) as { receivers: object[] };
  t.is(status.receivers.length, 1);
  const addressed = { PRESSMARK_SITE_URL: site.url };
  const { stdout } = await runHere(['status', '--json', '--dir', site.dir], addressed);
  t.deepEqual(Object.keys(status).sort(), Object.keys(JSON.parse(stdout)).sort());

  const findings = [
    { plugin: 'counter', level: 'warn', text: 'it counts from 0', fix: 'wait' },
    { plugin: 'counter', level: 'ok', text: 'it counts' },
    { plugin: 'counter', level: 'fail', text: 'its health check failed: no connection' },
    {
      plugin: 'counter',
      level: 'fail',
      text: 'its health check has not returned a finding; return { level, text, fix }',
    },
  ];
  const headers = { Authorization: 'Bearer token-of-the-owner' };
  const verbose = (await (await site.fetch('/healthz?verbose', { headers })).json()) as { plugins: object };
  t.deepEqual(verbose.plugins, findings);
  t.deepEqual(await (await site.fetch('/healthz?verbose')).json(), { ok: true });
  await site.restart();
  t.is((await all()).deliveries.length, 3, 'they are kept');

  const doctor = await runHere(['doctor', '--json', '--dir', site.dir], addressed);
  const named = (JSON.parse(doctor.stdout) as { about: string; text: string }[]).filter(
    ({ about }) => about === 'plugin counter',
  );
  t.deepEqual(
    named.map(({ text }) => text),
    findings.map(({ text }) => text),
  );
});

interface Shown {
  readonly count: number;
  readonly deliveries: readonly { readonly status: number }[];
}
