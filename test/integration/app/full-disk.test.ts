import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { createClient } from '../../support/client.js';
import { articleFiles } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { freePort } from '../../support/free-port.js';
import { FULL, freeSpace, ON_A_FULL_DISK, onLinux } from '../../support/full-disk.js';
import { bareEnvironment, PROGRAM, SITE_URL, startReceiver } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

onLinux(
  '200: a receiver starts on a full disk, answers what needs no room, and stores again once there is some',
  async (t) => {
    const dir = tempDir(t);
    execFileSync('git', ['init', '--quiet', dir]);
    const env = { HOME: dir, GIT_CONFIG_NOSYSTEM: '1' };
    const before = await startHere(t, { dir, env, config: { site: { search: false } } });
    const isServed = async ({ origin }: { readonly origin: string }) =>
      (await fetch(`${origin}${new URL(url).pathname}`)).ok;
    const data = article();
    const first = await before.post('article.published', data);
    const { url } = first.json;
    await until('the page is built', () => isServed(before));
    await before.close();
    fs.truncateSync(join(dir, '.pressmark/.gitignore')); // as a start that was cut off has left it
    fs.writeFileSync(join(dir, '.pressmark/site.building'), ''); // as one that was killed in a build

    const receiver = await startReceiver(t, { dir, env, wrapper: ON_A_FULL_DISK, health: 503 });
    t.deepEqual((await receiver.post('article.published', data)).json, first.json, 'a redelivery');
    const { revision_id: base_revision_id } = await receiver.find(url);
    await until('the page is served', () => isServed(receiver));
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
  },
);

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
  for (let n = 0; n < 5; n++) t.is((await post('article.published', article())).status, 200);
  t.is(articleFiles(dir).length, 5);
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  t.is((await exited)[0], 0);
});
