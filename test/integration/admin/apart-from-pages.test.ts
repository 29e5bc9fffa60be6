import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { adminOf } from '../../support/admin.js';
import { ask } from '../../support/ask.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';

const PAGE = { 'Sec-Fetch-Dest': 'document', Connection: 'keep-alive' };

test('pages in which scripts of articles run have another origin than the admin, in windows and in frames', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'public', 'bees'), { recursive: true });
  fs.writeFileSync(join(dir, 'public', 'bees', 'index.html'), '<script>bees()</script>');
  const { origin, port } = await startHere(t, { dir, config: { site: false, git: false } });
  const { cookie } = await adminOf({ dir, origin });
  const [here, there] = [`localhost:${port}`, `127.0.0.1:${port}`];
  const get = (path: string, headers: Record<string, string>) => ask(origin, path, { headers });
  const page = await get('/bees/?a=b', { Host: here, ...PAGE });
  t.is(page.headers.location, `http://${there}/bees/?a=b`);
  t.notRegex(page.text, /bees\(\)/);
  for (const dest of ['iframe', 'object'])
    t.is((await get('/bees/', { Host: here, ...PAGE, 'Sec-Fetch-Dest': dest })).status, 302, dest);
  t.is((await get('/bees/', { Host: here, Accept: 'text/html,*/*' })).status, 302, 'an older browser');
  t.is((await get('/bees/', { Host: there, ...PAGE })).status, 200);
  t.is((await get('/bees/', { Host: here })).status, 200, 'what reads a page and runs nothing');

  const admin = { ...PAGE, Cookie: cookie };
  t.is((await get('/-/admin/', { Host: here, ...admin })).status, 200);
  for (const host of [there, `[::1]:${port}`, `bees.localhost:${port}`]) {
    const led = await get('/-/admin/articles?text=bees', { Host: host, ...admin });
    t.is(led.headers.location, `http://${here}/-/admin/articles?text=bees`, host);
    const headers = { Host: host, ...admin };
    t.is((await ask(origin, '/-/admin/login', { method: 'POST', headers })).status, 404, host);
  }
});
