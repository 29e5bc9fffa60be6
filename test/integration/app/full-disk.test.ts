import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { createClient } from '../../support/client.js';
import { articleFiles } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { freePort } from '../../support/free-port.js';
import { FULL, freeSpace, ON_A_FULL_DISK, onLinux } from '../../support/full-disk.js';
import { generatorSite } from '../../support/generator-site.js';
import {
  bareEnvironment,
  launch,
  PROGRAM,
  type Receiver,
  type ReceiverOptions,
  SITE_URL,
  startReceiver,
} from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

/** Sites whose receivers write different things when they start, and how the receiver before was ended. */
const SITES: Record<string, readonly [NodeJS.Signals, (folder: string) => string]> = {
  'pages and commits after the answer': [
    'SIGKILL',
    (folder) => repository(folder, { site: { search: false } }),
  ],
  'another generator, and a post whose address is to be listed': [
    'SIGKILL',
    (folder) =>
      generatorSite(folder, 'hugo', {
        config: { build: 'true' },
        posts: { 'posts/frost.md': '---\ntitle: Frost\ndate: 2026-03-01\n---\n\nLate.\n' },
      }),
  ],
};

for (const [name, [signal, makeSite]] of Object.entries(SITES))
  onLinux(
    `200: a receiver starts on a full disk after ${signal}, answers what needs no room, and stores again once there is some (${name})`,
    async (t) => {
      const dir = makeSite(tempDir(t));
      const options: ReceiverOptions = { env: { HOME: dir, GIT_CONFIG_NOSYSTEM: '1' } };
      await survives(t, await startReceiver(t, { dir, ...options }), options, signal);
    },
  );

/** A receiver starts twice on a full disk, and has room again. */
async function survives(
  t: ExecutionContext,
  before: Receiver,
  options: ReceiverOptions,
  signal: NodeJS.Signals,
): Promise<void> {
  const { dir } = before;
  const data = article();
  const first = await before.post('article.published', data);
  const { url } = first.json;
  t.is(first.status, 200);
  await until(
    'the page is built, where Pressmark builds it',
    () => !buildsPages(dir) || hasPage(before, url),
  );
  await before.kill(signal);
  const ignore = stateFile(dir, '.gitignore');

  const full = { dir, ...options, wrapper: ON_A_FULL_DISK, health: 503 };
  // twice: what the first start has left half done must not prevent the second
  fs.truncateSync(ignore); // as a version that wrote it at each start has left it
  await (await launch(dir, full)).kill(signal);
  fs.writeFileSync(ignore, '*\n');
  const receiver = await startReceiver(t, full);
  t.is(fs.readFileSync(ignore, 'utf8'), '*\n');
  t.deepEqual((await receiver.post('article.published', data)).json, first.json, 'a redelivery');
  const { revision_id: base_revision_id } = await receiver.find(url);
  // After SIGKILL the pages are checked before they are served.
  await until('the page is served', () => !buildsPages(dir) || hasPage(receiver, url));
  const next = article();
  const change = update({ target_id: data.id, target_url: url, base_revision_id });
  for (const answer of [
    await receiver.post('article.published', next),
    await receiver.post('article.updated', change),
  ])
    t.true(answer.status >= 500, `${answer.status} ${answer.json.error}`);

  freeSpace(receiver);
  t.is((await receiver.post('article.published', next)).status, 200);
  t.is((await receiver.post('article.updated', change)).status, 200);
  await until('it reports that all is well', async () => (await fetch(`${receiver.origin}/healthz`)).ok);
}

function repository(dir: string, config: Record<string, unknown>): string {
  execFileSync('git', ['init', '--quiet', dir]);
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(config));
  return dir;
}

function buildsPages(dir: string): boolean {
  const { site, generator } = JSON.parse(fs.readFileSync(join(dir, 'pressmark.config.json'), 'utf8'));
  return site !== false && generator === undefined;
}

async function hasPage({ origin }: Receiver, url: string): Promise<boolean> {
  return (await fetch(`${origin}${new URL(url).pathname}`)).ok;
}

/** A file of the state folder, which lies below `.git` where another generator builds the site. */
function stateFile(dir: string, name: string): string {
  const inGit = join(dir, '.git/pressmark', name);
  return fs.existsSync(inGit) ? inGit : join(dir, '.pressmark', name);
}

onLinux('200: a receiver whose log is on a full disk takes articles, and ends in good order', async (t) => {
  const port = await freePort();
  const dir = storeOnly(tempDir(t));
  const child = spawn(process.execPath, [PROGRAM, 'start', '--dir', dir, '--port', String(port)], {
    env: { ...bareEnvironment(), PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL },
    stdio: ['ignore', fs.openSync(FULL, 'w'), 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  await until('the receiver answers', () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      (answer) => answer.ok,
      () => false,
    ),
  );
  const { post } = createClient(`http://127.0.0.1:${port}/webhook`);
  for (let n = 0; n < 20; n++) t.is((await post('article.published', article())).status, 200);
  t.is(articleFiles(dir).length, 20);
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  t.is((await exited)[0], 0);
});
