import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../support/events.js';
import { startReceiver } from '../support/receiver.js';
import { tempDir } from '../support/temp-dir.js';

// Mounting is root's business; without it the test fails and says so, it does not pass by.
test('500: a really full disk refuses the delivery, leaves nothing behind, and recovers by itself', async (t) => {
  const dir = tempDir(t);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', dir]);
  t.teardown(() => execFileSync('umount', ['--lazy', dir]));
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ site: false, git: false }));
  const receiver = await startReceiver(t, { dir });
  const first = article({ id: 'first' });
  t.is((await receiver.post('article.published', first)).status, 200);
  const before = fs.readdirSync(join(dir, 'content'), { recursive: true, encoding: 'utf8' });

  const ballast = join(dir, 'ballast');
  const fill = () => fs.appendFileSync(ballast, Buffer.alloc(4096));
  t.throws(
    () => {
      for (;;) fill();
    },
    { code: 'ENOSPC' },
  );
  const refused = await receiver.post(
    'article.published',
    article({ id: 'second', content_html: `<p>${'x'.repeat(60_000)}</p>` }),
  );
  t.is(refused.status, 500);
  t.regex(refused.json.error, /no space or no inode is left.*ENOSPC/);
  t.deepEqual(fs.readdirSync(join(dir, 'content'), { recursive: true, encoding: 'utf8' }), before);
  t.is((await receiver.post('article.published', first)).status, 200, 'what is known is still answered');

  fs.unlinkSync(ballast);
  t.is((await receiver.post('article.published', article({ id: 'second' }))).status, 200);
});
