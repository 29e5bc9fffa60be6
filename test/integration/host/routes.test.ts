import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

test('a plugin’s routes: one that throws is a JSON 500, one that comes too late is refused, and the webhook stays ours', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'plugins'));
  fs.writeFileSync(
    join(dir, 'plugins/routes.mjs'),
    `export default { name: 'routes', setup(host) {
      host.router.get('/broken', () => { throw new Error('inside'); });
      host.router.all('/webhook', (context) => { context.body = 'taken'; });
      host.router.get('/late', (context) => {
        try { host.router.get('/more', () => {}); context.body = 'added'; } catch (error) { context.body = error.message; }
      });
    } };`,
  );
  const receiver = await startReceiver(t, { dir });
  const broken = await fetch(`${receiver.origin}/broken`);
  t.deepEqual([broken.status, await broken.text()], [500, '{"error":"this route failed; the log says why"}']);
  t.regex(await (await fetch(`${receiver.origin}/late`)).text(), /added after the start/);
  t.is((await fetch(`${receiver.origin}/webhook`)).status, 405);
});
