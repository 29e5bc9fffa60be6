import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { committedIds, gitIn, inClone, makeRepository } from '../../support/clones.js';
import { article } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

/** The articles that git does not take, by their slugs, and how the answers to them say so. */
const REFUSED: Record<string, string> = {
  'first-draft': 'it is ignored by git; change that and send it again',
  sealed: 'git hash-object ended with exit code 128; send it again when git works',
};

test('503 with its reason: an ignored article, and one whose required filter fails; 200 for all that came with them', async (t) => {
  const dir = makeRepository(tempDir(t), { site: false, durability: 'commit' }, '*draft*\n');
  fs.writeFileSync(join(dir, '.gitattributes'), 'sealed.md filter=seal\n');
  gitIn(dir, 'config', 'filter.seal.clean', 'false');
  gitIn(dir, 'config', 'filter.seal.required', 'true');
  const { post } = await startHere(t, inClone(dir));
  const all = ['one', 'first-draft', 'two', 'sealed', 'three', 'four'].map((slug) => article({ slug }));
  const answers = await Promise.all(all.map((data) => post('article.published', data)));
  for (const [at, { slug, id }] of all.entries()) {
    const { status, json } = answers[at] ?? { status: 0, json: { error: '' } };
    const why = REFUSED[slug];
    t.is(status, why === undefined ? 200 : 503, slug);
    t.is(committedIds(dir).includes(id), why === undefined);
    if (why !== undefined) t.is(json.error, `the article is stored, but has no commit yet: ${why}`);
  }
});

test('200: files that are never read, such as .mdx and ---js, are not tried again and again, and get no commit', async (t) => {
  const dir = makeRepository(tempDir(t), { site: false, logLevel: 'debug' });
  fs.mkdirSync(join(dir, 'content'));
  const names = ['page.mdx', 'script.md'];
  for (const name of names) fs.writeFileSync(join(dir, 'content', name), '---js\n({})\n---\n');
  const { post, log } = await startHere(t, inClone(dir));
  await until('all is compared', () => log.some(({ msg }) => msg === 'articles compared with the branch'));
  const data = article();
  t.is((await post('article.published', data)).status, 200);
  await until('the article is committed', () => committedIds(dir).includes(data.id));
  t.deepEqual(
    log.filter(({ msg }) => /not committed/.test(msg)),
    [],
  );
  for (const name of names) t.is(gitIn(dir, 'ls-files', `content/${name}`), '');
});
