import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createTestSite } from 'pressmark/testing';
import { gitIn } from '../../support/clones.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const EXAMPLES = new URL('../../../../examples/plugins/', import.meta.url);

/** What a server was sent. */
interface Sent {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A server on this machine. */
async function serve(t: ExecutionContext, answer: http.RequestListener): Promise<string> {
  const server = http.createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A service that answers the first request with 503 and the others with 200. */
async function unsteadyService(t: ExecutionContext): Promise<{ at: string; sent: Sent[] }> {
  const sent: Sent[] = [];
  const at = await serve(t, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    sent.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(body) });
    response.writeHead(sent.length === 1 ? 503 : 200).end('busy');
  });
  return { at, sent };
}

const example = (name: string) => new URL(`${name}.mjs`, EXAMPLES);

test('the example announcement tells of an article once it is live, again where that fails, and not of its update', async (t) => {
  t.true(fs.readFileSync(example('announcement'), 'utf8').split('\n').length <= 60);
  const { at, sent } = await unsteadyService(t);
  const env = { ANNOUNCE_URL: `http://a-token@${at}/api/v1/statuses` };
  const site = await createTestSite({ plugins: [example('announcement')], config: { liveCheck: true }, env });
  t.teardown(site.close);
  const { url } = await site.deliver({ title: 'Soil' });
  await until('it is announced at the second attempt', () => sent.length === 2);
  const text = `Soil ${url}`;
  for (const { path, headers, body } of sent) {
    t.is(path, '/api/v1/statuses');
    t.is(headers.authorization, 'Bearer a-token');
    t.is(headers['idempotency-key'], sent[0]?.headers['idempotency-key']);
    t.deepEqual(body, { status: text, text, content: text });
  }
  t.truthy(sent[0]?.headers['idempotency-key']);
  t.is((await site.update(url, { title: 'Soil again' })).status, 200);
  await until('the update is live', () => site.log.filter(({ msg }) => msg === 'article live').length === 2);
  const other = await site.deliver({ title: 'Moss' });
  await until('another article is announced', () => sent.length === 3);
  t.is(sent[2]?.body.text, `Moss ${other.url}`, 'and the update was not');
});

test('the example indexnow submits the address of an article that is live, and the site has its key', async (t) => {
  const { at, sent } = await unsteadyService(t);
  const options = { endpoint: `http://${at}/indexnow` };
  const site = await createTestSite({
    plugins: [[example('indexnow'), options]],
    config: { liveCheck: true },
  });
  t.teardown(site.close);
  const { url } = await site.deliver({ title: 'Soil' });
  await until('it is submitted at the second attempt', () => sent.length === 2);
  const { host, key, keyLocation, urlList } = sent[1]?.body ?? {};
  t.deepEqual([host, urlList], [new URL(site.url).host, [url]]);
  t.is(await site.built(String(keyLocation)), String(key));
});

test('the example backup bundles the repository when its time has come, and keeps ten', async (t) => {
  const folder = join(tempDir(t), 'backups');
  const site = await createTestSite({ plugins: [[example('backup'), { folder }]] });
  t.teardown(site.close);
  gitIn(site.dir, 'init', '--quiet');
  gitIn(site.dir, 'add', 'pressmark.config.json');
  gitIn(site.dir, 'commit', '--quiet', '-m', 'A site');
  fs.mkdirSync(folder);
  for (let n = 10; n < 22; n++) fs.writeFileSync(join(folder, `2020-01-${n}.bundle`), '');
  await site.until('the time of the cron is known', () =>
    fs.existsSync(join(site.dir, '.pressmark/jobs/crons.json')),
  );
  site.advance(24 * 3_600_000);
  const isDone = () => site.log.some(({ msg }) => msg === 'the repository is backed up');
  await until('the repository is backed up', isDone);
  const names = fs.readdirSync(folder).sort();
  t.is(names.length, 10);
  t.is(names[0], '2020-01-13.bundle');
  execFileSync('git', ['clone', '--quiet', join(folder, names.at(-1) ?? ''), join(folder, 'clone')]);
  t.true(fs.existsSync(join(folder, 'clone/pressmark.config.json')));
});
