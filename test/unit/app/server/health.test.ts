import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createHealth } from '../../../../src/app/server/health.js';
import { patternLayout } from '../../../../src/generators/layout.js';
import type { Answer } from '../../../../src/webhook/receive.js';
import { SITE_URL } from '../../../support/receiver.js';
import { tempDir } from '../../../support/temp-dir.js';

const layout = patternLayout(SITE_URL, 'articles/:year/:month/:slug.md', '/articles/:slug/');

/** A content folder with this month's folder for articles, and a state folder. */
function site(t: ExecutionContext) {
  const dir = tempDir(t);
  const root = join(dir, 'content');
  const month = join(root, layout.path('x', new Date().toISOString()), '..');
  fs.mkdirSync(month, { recursive: true });
  let time = 0;
  const health = () => createHealth({ root, layout }, join(dir, 'state'), () => time);
  const pass = (ms: number) => {
    time += ms;
  };
  return { root, month, health, pass };
}

/** Replaces a function of node:fs for the rest of the test. @returns how often it was called. */
function replace<K extends 'writeFileSync' | 'accessSync' | 'statfsSync'>(
  t: ExecutionContext,
  name: K,
  replacement: (real: (typeof fs)[K], ...args: unknown[]) => unknown,
): () => number {
  const real = fs[name];
  let calls = 0;
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      calls++;
      return replacement(real, ...args);
    },
  });
  t.teardown(() => Object.assign(fs, { [name]: real }));
  return () => calls;
}

const answer = (over: Partial<Answer>): Answer => ({
  status: 200,
  body: '{"received":true}',
  event: 'article.published',
  id: 'one',
  outcome: 'stored',
  verified: true,
  ...over,
});

test.serial(
  'a folder for this month’s articles that may not be written is reported, and a content folder that is gone',
  (t) => {
    const { root, month, health } = site(t);
    replace(t, 'accessSync', (real, ...args) => {
      if (String(args[0]) === month) throw Object.assign(new Error('EROFS: read-only file system, access'));
      return Reflect.apply(real, fs, args);
    });
    t.is(health().trouble(), 'articles cannot be stored: EROFS: read-only file system');
    fs.rmdirSync(month);
    t.is(health().trouble(), undefined, 'it is made with the next article');
    fs.rmSync(root, { recursive: true });
    t.is(health().trouble(), 'articles cannot be stored: ENOENT: no such file or directory');
  },
);

test.serial(
  'a content folder whose own volume has no room is reported, and one without a limit is not',
  (t) => {
    const { month, health } = site(t);
    const none = { blocks: 0, bfree: 0, bavail: 0, files: 0, ffree: 0 };
    let full = {};
    replace(t, 'statfsSync', (_real, path) => {
      t.is(path, month);
      return { ...none, ...full };
    });
    t.is(health().trouble(), undefined);
    for (full of [{ blocks: 1_000 }, { blocks: 1_000, bfree: 9, bavail: 9, files: 500 }])
      t.regex(health().trouble() ?? '', /no space is left on the volume of the content folder/);
  },
);

test.serial(
  'however often it is asked, the disk is looked at once a second, and nothing is written where articles go',
  (t) => {
    const { root, month, health, pass } = site(t);
    const looks = replace(t, 'accessSync', (real, ...args) => Reflect.apply(real, fs, args));
    const before = fs.statSync(month).mtimeMs;
    const { trouble } = health();
    for (let second = 1; second <= 3; second++, pass(1_000)) {
      for (let n = 0; n < 3; n++) t.is(trouble(), undefined);
      t.is(looks(), second);
    }
    t.is(fs.statSync(month).mtimeMs, before);
    t.deepEqual(fs.readdirSync(root), ['articles']);
  },
);

test.serial(
  'a delivery that the disk has refused is reported until an article is stored, or for a minute',
  (t) => {
    const { health, pass } = site(t);
    const { trouble, noteAnswer } = health();
    const error = 'not stored: the disk quota is used up; raise it or free some space (EDQUOT)';
    const refused = answer({ status: 500, outcome: 'STORE_FAILED', body: JSON.stringify({ error }) });
    t.is(noteAnswer(refused), refused);
    t.is(trouble(), `the last delivery was refused: ${error}`);
    noteAnswer(answer({ outcome: 'known' }));
    t.truthy(trouble(), 'what changes nothing proves nothing');
    noteAnswer(answer({}));
    t.is(trouble(), undefined);

    noteAnswer(refused);
    pass(59_999);
    t.truthy(trouble());
    pass(1);
    t.is(trouble(), undefined);
    noteAnswer({ ...refused, event: 'article.lookup' });
    t.is(trouble(), undefined, 'a file that cannot be read is no obstacle to others');
  },
);
