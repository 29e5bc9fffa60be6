import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createClient } from '../../support/client.js';
import { articleFiles } from '../../support/content.js';
import { article } from '../../support/events.js';
import { freePort } from '../../support/free-port.js';
import { FULL, onLinux } from '../../support/full-disk.js';
import { bareEnvironment, PROGRAM, SITE_URL } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

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
