import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { articleFiles, readStored } from '../../support/content.js';
import { runHere } from '../../support/in-process.js';
import { runs } from '../../support/property.js';
import { createRandom } from '../../support/random.js';
import { bareEnvironment, PROGRAM, STORE_ONLY } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

/** 500 in `npm run torture`; nothing in the program depends on the number. */
const FILES = runs(1) === 1 ? 50 : 500;
const EDITED = 12;

/** The text of one post, as blogs have them: YAML or TOML, old dates, links, pictures, code, other scripts. */
function post(n: number): string {
  const day = `20${String(5 + (n % 20)).padStart(2, '0')}-0${1 + (n % 9)}-1${n % 10}`;
  const head =
    n % 5 === 0
      ? `+++\ntitle = "Post ${n}"\ndate = ${day}\ntags = ["a", "b"]\n+++\n`
      : `---\nlayout: post\ntitle: "Post ${n}: Grüße, 世界"\ndate: ${day} 10:00:00 +0200\ncategories: [garden]\n---\n`;
  return `${head}${n % 7 === 0 ? '\r\n' : ''}First line of ${n}. [A link](../other-${n}.html) and ![a picture](img/${n}.png).

<div class="note">HTML — “quotes” &amp; entities</div>

\`\`\`js
const code = '{{ not.a.tag }}'; // ${n}
\`\`\`

- one
- two 🌱

Last line of ${n}.
`;
}

/** How many files have which status. */
function countsOf({ stdout }: { readonly stdout: string }): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of JSON.parse(stdout) as { status: string }[])
    counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('a blog through dry run, publish, kill, resume, an edit of 12 and refresh --changed: each is there once, with the text of its file', async (t) => {
  const random = createRandom('moving a blog');
  const receiver = await startHere(t, STORE_ONLY);
  const dir = tempDir(t);
  const posts = join(dir, 'posts');
  const sender = (...words: string[]) => runHere([...words, '--dir', dir], { PRESSMARK_SECRET: SECRET });
  fs.mkdirSync(posts);
  const names = Array.from({ length: FILES }, (_, n) => `post-${n}.md`);
  for (const [n, name] of names.entries()) fs.writeFileSync(join(posts, name), post(n));
  fs.writeFileSync(join(posts, 'idea.md'), '---\ntitle: Idea\ndraft: true\n---\nText.\n');
  t.is((await sender('connect', 'garden', `${receiver.origin}/webhook`)).code, 0);

  const plan = await sender('publish', posts, '--dry-run', '--json');
  t.deepEqual(countsOf(plan), { 'to be sent': FILES, 'left out': 1 });
  t.is(articleFiles(receiver.dir).length, 0);

  // Not so fast that all could be there before the signal.
  const child = spawn(process.execPath, [PROGRAM, 'publish', posts, '--rate', '50', '--dir', dir], {
    env: bareEnvironment(),
    stdio: 'ignore',
  });
  t.teardown(() => child.kill('SIGKILL'));
  const killAt = random.integer(10, FILES / 2);
  await until('some of the posts are there', () => articleFiles(receiver.dir).length >= killAt);
  child.kill('SIGKILL');
  await once(child, 'exit');
  t.true(articleFiles(receiver.dir).length < FILES);

  // What was being sent when the process was killed is sent again after ten minutes, as if these had passed.
  const deliveries = join(dir, '.pressmark-sender/deliveries');
  for (const file of fs.readdirSync(deliveries)) {
    const text = fs.readFileSync(join(deliveries, file), 'utf8');
    if (text.includes('"status":"sending"'))
      fs.writeFileSync(
        join(deliveries, file),
        text.replace(/"nextRetryAt":"[^"]*"/, '"nextRetryAt":"2020-01-01T00:00:00.000Z"'),
      );
  }
  const resumed = await sender('publish', posts);
  t.is(resumed.code, 0, resumed.stdout.slice(-500));
  t.regex(resumed.stdout, new RegExp(`${FILES + 1} files: ${FILES} delivered, 1 left out\n$`));

  const edited = new Set<string>();
  while (edited.size < EDITED) edited.add(random.pick(names));
  for (const name of edited) fs.appendFileSync(join(posts, name), '\nAn edit.\n');
  const refreshed = await sender('refresh', '--changed', posts);
  t.is(refreshed.code, 0, refreshed.stdout.slice(-500));
  t.regex(refreshed.stdout, new RegExp(`: ${EDITED} refreshed, ${FILES - EDITED} unchanged`));

  const stored = articleFiles(receiver.dir).map((path) => readStored(path).article);
  t.is(stored.length, FILES);
  const byTitle = new Map(stored.map((article) => [article.title, article]));
  t.is(byTitle.size, FILES, 'each once');
  for (const [n, name] of names.entries()) {
    const article = byTitle.get(n % 5 === 0 ? `Post ${n}` : `Post ${n}: Grüße, 世界`);
    const text = fs.readFileSync(join(posts, name), 'utf8').split(/^(?:---|\+\+\+)$/m)[2] ?? '';
    t.is(article?.body.split('<!-- svc:item:')[0]?.trim(), text.trim(), name);
  }
});
