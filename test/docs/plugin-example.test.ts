import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { articleFiles } from '../support/content.js';
import { article } from '../support/events.js';
import { startReceiver } from '../support/receiver.js';
import { tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The example as the page has it, and the file name that its first line gives. */
function exampleOnPage(): { name: string; code: string } {
  const page = fs.readFileSync(join(ROOT, 'docs/plugins.md'), 'utf8');
  const code = /```js\n(\/\/ (plugins\/\S+)\n[\s\S]*?)```/.exec(page);
  if (code?.[1] === undefined || code[2] === undefined) throw new Error('docs/plugins.md has no example');
  return { name: code[2], code: code[1] };
}

test('the example of docs/plugins.md does what the page says', async (t) => {
  const dir = tempDir(t);
  const { name, code } = exampleOnPage();
  fs.mkdirSync(dirname(join(dir, name)), { recursive: true });
  fs.writeFileSync(join(dir, name), code);
  // As after `npm install`: the package by its name.
  fs.mkdirSync(join(dir, 'node_modules'));
  fs.symlinkSync(ROOT, join(dir, 'node_modules/pressmark'));

  const receiver = await startReceiver(t, { dir });
  const words = Array.from({ length: 660 }, () => 'word').join(' ');
  const { status } = await receiver.post(
    'article.published',
    article({ title: 'Long', slug: 'long', content_html: `<p>${words}</p>` }),
  );
  t.is(status, 200);
  const [file = ''] = articleFiles(dir);
  t.regex(fs.readFileSync(file, 'utf8'), /^reading_minutes: 3$/m);
  const times = await (await fetch(`${receiver.origin}/reading-times`)).json();
  t.deepEqual(times, [{ title: 'Long', minutes: 3 }]);
  const page = join(dir, 'public/articles/long/index.html');
  await until(
    'the page of the article has the link of the plugin',
    () =>
      fs.existsSync(page) &&
      fs.readFileSync(page, 'utf8').includes('<link rel="me" href="https://social.example/@me">'),
  );
});
