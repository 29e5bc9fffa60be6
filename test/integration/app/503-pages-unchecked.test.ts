import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { ask } from '../../support/ask.js';
import { forgetBoot } from '../../support/boot.js';
import { article } from '../../support/events.js';
import { launch } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('503: after an unclean stop no page is served before the pages were checked, and deliveries are answered', async (t) => {
  const dir = tempDir(t);
  const first = await launch(dir, { args: ['--no-live'] });
  t.teardown(() => first.kill('SIGKILL'));
  await first.post('article.published', article({ slug: 'hive', title: 'The hive' }));
  const page = async (origin: string) => ask(origin, '/articles/hive/');
  await until('the page is built', async () => (await page(first.origin)).status === 200);
  await first.kill('SIGKILL');
  forgetBoot(join(dir, '.pressmark'));
  const file = join(dir, 'public/articles/hive/index.html');
  const { atime, mtime, size } = fs.statSync(file);
  fs.writeFileSync(file, Buffer.alloc(size));
  fs.utimesSync(file, atime, mtime);

  // The builder has to wait for its lock.
  const holder = spawn('flock', [join(dir, '.pressmark/build/lock'), 'sh', '-c', 'echo held; exec cat']);
  t.teardown(() => holder.kill());
  await once(holder.stdout, 'data');
  const second = await launch(dir, { args: ['--no-live'] });
  t.teardown(() => second.kill('SIGKILL'));
  for (const path of ['/articles/hive/', '/', '/missing/', '/feed.xml']) {
    const { status, headers } = await ask(second.origin, path);
    t.deepEqual([status, headers['retry-after'], headers['cache-control']], [503, '1', 'no-store'], path);
  }
  t.is((await second.post('article.published', article({ slug: 'comb' }))).status, 200);
  holder.stdin.end();
  await until('the page is served', async () => (await page(second.origin)).status === 200);
  const { text } = await page(second.origin);
  t.true(text.includes('The hive') && text.endsWith('</html>\n'));
});
