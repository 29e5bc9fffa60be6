import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { timesOf } from '../../../src/host/jobs/cron.js';
import { publishForUpdate } from '../../support/client.js';
import { gitIn } from '../../support/clones.js';
import { article } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

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

/** A site with an example; its pages are on a web server, so that articles become live. */
async function siteWith(t: ExecutionContext, name: string, options?: object) {
  const dir = tempDir(t);
  const origin = await serve(t, (request, response) => {
    const path = join(dir, 'public', decodeURIComponent(request.url ?? '/').replace(/\/$/, '/index.html'));
    if (fs.existsSync(path)) response.end(fs.readFileSync(path));
    else response.writeHead(404).end();
  });
  fs.mkdirSync(join(dir, 'tools'));
  fs.copyFileSync(join(ROOT, 'examples/plugins', `${name}.mjs`), join(dir, 'tools', `${name}.mjs`));
  fs.mkdirSync(join(dir, 'node_modules'));
  fs.symlinkSync(ROOT, join(dir, 'node_modules/pressmark'));
  const plugin = `./tools/${name}.mjs`;
  const plugins = [options === undefined ? plugin : [plugin, options]];
  const config = { plugins, liveCheck: true, site: { search: false } };
  return { dir, url: `http://${origin}`, config };
}

test('the example announcement tells of an article once it is live, again where that fails, and not of its update', async (t) => {
  const lines = fs.readFileSync(join(ROOT, 'examples/plugins/announcement.mjs'), 'utf8').split('\n');
  t.true(lines.length <= 60);
  const { at, sent } = await unsteadyService(t);
  const { dir, url, config } = await siteWith(t, 'announcement');
  const env = { PRESSMARK_SITE_URL: url, ANNOUNCE_URL: `http://a-token@${at}/api/v1/statuses` };
  const receiver = await startHere(t, { dir, config, env });
  const data = article({ title: 'Soil', slug: 'soil' });
  const { json } = await receiver.post('article.published', data);
  await until('it is announced at the second attempt', () => sent.length === 2);
  const text = `Soil ${json.url}`;
  for (const { path, headers, body } of sent) {
    t.is(path, '/api/v1/statuses');
    t.is(headers.authorization, 'Bearer a-token');
    t.is(headers['idempotency-key'], sent[0]?.headers['idempotency-key']);
    t.deepEqual(body, { status: text, text, content: text });
  }
  t.truthy(sent[0]?.headers['idempotency-key']);
  const { request } = await publishForUpdate(receiver, data, { title: 'Soil again' });
  await receiver.post('article.updated', request);
  const isLive = () => receiver.log.filter(({ msg }) => msg === 'article live').length === 2;
  await until('the update is live', isLive);
  const other = await receiver.post('article.published', article({ title: 'Moss', slug: 'moss' }));
  await until('another article is announced', () => sent.length === 3);
  t.is(sent[2]?.body.text, `Moss ${other.json.url}`, 'and the update was not');
});

test('the example indexnow submits the address of an article that is live, and the site has its key', async (t) => {
  const { at, sent } = await unsteadyService(t);
  const { dir, url, config } = await siteWith(t, 'indexnow', { endpoint: `http://${at}/indexnow` });
  const receiver = await startHere(t, { dir, config, env: { PRESSMARK_SITE_URL: url } });
  const { json } = await receiver.post('article.published', article({ slug: 'soil' }));
  await until('it is submitted at the second attempt', () => sent.length === 2);
  const { host, key, keyLocation, urlList } = sent[1]?.body ?? {};
  t.deepEqual([host, urlList], [new URL(url).host, [json.url]]);
  await until('the site has the file of the key', async () => (await fetch(String(keyLocation))).ok);
  t.is(await (await fetch(String(keyLocation))).text(), String(key));
});

test('the example backup bundles the repository when its time has passed, and keeps ten', async (t) => {
  const folder = join(tempDir(t), 'backups');
  const { dir, url, config } = await siteWith(t, 'backup', { folder });
  fs.writeFileSync(join(dir, '.gitignore'), '.pressmark/\nnode_modules/\npublic/\n');
  gitIn(dir, 'init', '--quiet');
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'A site');
  fs.mkdirSync(folder);
  for (let n = 10; n < 22; n++) fs.writeFileSync(join(folder, `2020-01-${n}.bundle`), '');
  // As the receiver of the day before has left it.
  fs.mkdirSync(join(dir, '.pressmark/jobs'), { recursive: true });
  const crons = {
    'backup.bundle': { pattern: timesOf('0 3 * * *', 'UTC').pattern, last: Date.now() - 2 * 86_400_000 },
  };
  fs.writeFileSync(join(dir, '.pressmark/jobs/crons.json'), JSON.stringify(crons));
  const receiver = await startHere(t, { dir, config, env: { PRESSMARK_SITE_URL: url } });
  const isDone = () => receiver.log.some(({ msg }) => msg === 'the repository is backed up');
  await until('the repository is backed up', isDone);
  const names = fs.readdirSync(folder).sort();
  t.is(names.length, 10);
  t.is(names[0], '2020-01-13.bundle');
  execFileSync('git', ['clone', '--quiet', join(folder, names.at(-1) ?? ''), join(folder, 'clone')]);
  t.true(fs.existsSync(join(folder, 'clone/tools/backup.mjs')));
});
