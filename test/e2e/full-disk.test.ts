import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../support/events.js';
import { startReceiver } from '../support/receiver.js';
import { storeOnly } from '../support/store-only.js';
import { tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';

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
  t.regex(refused.json.error, /no space is left.*ENOSPC/);
  t.deepEqual(fs.readdirSync(join(dir, 'content'), { recursive: true, encoding: 'utf8' }), before);
  t.is((await receiver.post('article.published', first)).status, 200, 'what is known is still answered');

  fs.unlinkSync(ballast);
  t.is((await receiver.post('article.published', article({ id: 'second' }))).status, 200);
});

// As above: mounting is root's business.
test('503: /healthz reports a content folder on a full volume of its own, and a month’s folder that is read-only', async (t) => {
  const dir = storeOnly(tempDir(t));
  const content = join(dir, 'content');
  fs.mkdirSync(content);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', content]);
  t.teardown(() => execFileSync('umount', ['--lazy', content]));
  const receiver = await startReceiver(t, { dir });
  const health = async () => {
    const answer = await fetch(`${receiver.origin}/healthz`);
    return `${answer.status} ${((await answer.json()) as { error?: string }).error ?? ''}`;
  };
  const published_at = new Date().toISOString();
  t.is((await receiver.post('article.published', article({ published_at }))).status, 200);
  t.regex(await health(), /^200/);

  const ballast = join(content, 'ballast');
  t.throws(
    () => {
      for (;;) fs.appendFileSync(ballast, Buffer.alloc(4096));
    },
    { code: 'ENOSPC' },
  );
  await until('the full volume is reported', async () => /^503 .*no space is left/.test(await health()));
  t.is((await receiver.post('article.published', article({ published_at }))).status, 500);
  fs.unlinkSync(ballast);
  t.is((await receiver.post('article.published', article({ published_at }))).status, 200);
  await until('there is room again', async () => /^200/.test(await health()));

  const month = join(content, 'articles', published_at.slice(0, 4), published_at.slice(5, 7));
  execFileSync('mount', ['--bind', month, month]);
  t.teardown(() => execFileSync('umount', ['--lazy', month]));
  execFileSync('mount', ['-o', 'remount,ro,bind', month]);
  await until('the read-only folder is reported', async () => /^503 .*EROFS/.test(await health()));
});
