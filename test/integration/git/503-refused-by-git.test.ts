import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { committedIds, gitIn, inClone, makeRepository } from '../../support/clones.js';
import { article } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';

/** The answer to a delivery for whose commit the machine was too slow; it is sent again. */
const SLOW = /git took longer than 8 s/;
const MAX_ATTEMPTS = 10;

/** The articles that git does not take, by their slugs, and how the answers to them say so. */
const REFUSED = {
  'first-draft': 'it is ignored by git; change that and send it again',
  sealed: 'git hash-object ended with exit code 128; send it again when git works',
};

test('503 with its reason: an ignored article, and one whose required filter fails; 200 for all that came with them', async (t) => {
  const dir = makeRepository(tempDir(t), { site: false, durability: 'commit' }, '*draft*\n');
  fs.writeFileSync(join(dir, '.gitattributes'), 'sealed.md filter=seal\n');
  gitIn(dir, 'config', 'filter.seal.clean', 'false');
  gitIn(dir, 'config', 'filter.seal.required', 'true');
  const receiver = await startHere(t, inClone(dir));
  const refused = Object.keys(REFUSED).map((slug) => article({ slug }));
  const others = Array.from({ length: 12 }, () => article());
  const all = [...others.slice(0, 6), ...refused, ...others.slice(6)];
  for (let attempt = 1; ; attempt++) {
    const answers = await Promise.all(all.map((data) => receiver.post('article.published', data)));
    const isSlow = answers.some(({ json }) => SLOW.test(json.error ?? ''));
    for (const { status, json } of answers.toSpliced(6, refused.length))
      if (status !== 200) t.regex(json.error, SLOW, 'the reason of another article is no reason');
    if (isSlow && attempt < MAX_ATTEMPTS) continue;
    t.deepEqual(
      answers.map(({ status }) => status),
      all.map((data) => (refused.includes(data) ? 503 : 200)),
    );
    t.deepEqual(
      answers.slice(6, 8).map(({ json }) => json.error),
      Object.values(REFUSED).map((why) => `the article is stored, but has no commit yet: ${why}`),
    );
    break;
  }
  t.deepEqual(committedIds(dir).sort(), others.map(({ id }) => id).sort());
});
