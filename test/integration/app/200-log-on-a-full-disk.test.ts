import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:net';
import { createClient } from '../../support/client.js';
import { article } from '../../support/events.js';
import { FULL, onLinux } from '../../support/full-disk.js';
import { bareEnvironment, PROGRAM, SITE_URL } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

onLinux('200: a receiver whose log is on a full disk takes articles, and ends in good order', async (t) => {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  server.close();
  const child = spawn(process.execPath, [PROGRAM, 'start', '--dir', tempDir(t), '--port', String(port)], {
    env: { ...bareEnvironment(), PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL },
    stdio: ['ignore', fs.openSync(FULL, 'w'), 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  await until(() =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      (answer) => answer.ok,
      () => false,
    ),
  );
  const { post } = createClient(`http://127.0.0.1:${port}/webhook`);
  for (let n = 0; n < 50; n++) t.is((await post('article.published', article())).status, 200);
  child.kill('SIGTERM');
  t.is((await once(child, 'exit'))[0], 0);
});
