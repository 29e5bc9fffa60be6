import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn, launchIn } from '../../support/clones.js';
import { article } from '../../support/events.js';
import { tempDir } from '../../support/temp-dir.js';

/** The answer to a delivery for whose commit the machine was too slow; it is sent again. */
const SLOW = /git took longer than 8 s/;
const MAX_ATTEMPTS = 10;

/** What keeps git from taking one article, and how the answer to it says so. */
const CASES: Record<string, { prepare(dir: string): void; slug: string; error: RegExp }> = {
  'an ignored article': {
    prepare: (dir) => fs.writeFileSync(join(dir, '.gitignore'), 'public/\n*draft*\n'),
    slug: 'first-draft',
    error:
      /^503 the article is stored, but has no commit yet: it is ignored by git; change that and send it again$/,
  },
  'an article whose required filter fails': {
    prepare: (dir) => {
      fs.writeFileSync(join(dir, '.gitattributes'), 'sealed.md filter=seal\n');
      gitIn(dir, 'config', 'filter.seal.clean', 'false');
      gitIn(dir, 'config', 'filter.seal.required', 'true');
    },
    slug: 'sealed',
    error:
      /^503 the article is stored, but has no commit yet: git hash-object ended with exit code 128; send it again when git works$/,
  },
};

for (const [what, { prepare, slug, error }] of Object.entries(CASES))
  test(`503 with its reason: ${what}, and 200 for all that came with it`, async (t) => {
    const dir = tempDir(t);
    gitIn(dir, 'init', '--quiet', '--initial-branch=main');
    prepare(dir);
    fs.writeFileSync(join(dir, 'pressmark.config.json'), '{ "site": false, "durability": "commit" }');
    gitIn(dir, 'add', '.');
    gitIn(dir, 'commit', '--quiet', '-m', 'First');
    const receiver = await launchIn(dir);
    t.teardown(() => receiver.kill('SIGKILL'));
    const refused = article({ slug });
    const others = Array.from({ length: 12 }, () => article());
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const all = [...others.slice(0, 6), refused, ...others.slice(6)];
      const answers = await Promise.all(all.map((data) => receiver.post('article.published', data)));
      const isSlow = answers.some(({ json }) => SLOW.test(json.error ?? ''));
      for (const { status, json } of answers.toSpliced(6, 1))
        if (status !== 200) t.regex(json.error, SLOW, 'the reason of another article is no reason');
      if (isSlow && attempt < MAX_ATTEMPTS) continue;
      t.deepEqual(
        answers.map(({ status }) => status),
        all.map((data) => (data === refused ? 503 : 200)),
      );
      t.regex(`503 ${answers[6]?.json.error}`, error);
      break;
    }
    const format = '%(trailers:key=Article-Id,valueonly,separator=%x2C)';
    const committed = gitIn(dir, 'log', `--format=${format}`).split('\n').filter(Boolean);
    t.deepEqual(committed.sort(), others.map(({ id }) => id).sort());
  });
