import test, { type ExecutionContext } from 'ava';
import { deliveredArticles, type MalformedFile } from '../../../../src/app/build/postbuild.js';
import { loadSettings } from '../../../../src/config/load.js';
import { folderWith } from '../../../support/temp-dir.js';

const BROKEN = 'title: a\ntags: [x\n';

const CASES: Readonly<Record<string, readonly [text: string, isBrokenArticle: boolean]>> = {
  'an article whose YAML an edit has broken': [`---\n${BROKEN}pressmark:\n  id: a\n---\nText.\n`, true],
  'one of which the closing line is missing, too': [`---\n${BROKEN}pressmark:\n  id: a\n`, true],
  'one in a form that only the generator reads': [`---js\n{\npressmark: { id: 'a' }\n}\n---\nText.\n`, false],
  'a post of a person that shows the key in its text': [
    `---\n${BROKEN}---\n    x\npressmark:\n  id: a\n`,
    false,
  ],
};

/** The malformed files of a site with one post. */
async function malformedIn(t: ExecutionContext, text: string): Promise<MalformedFile[]> {
  const config = { generator: 'eleventy', content: 'posts', output: '_site', siteUrl: 'https://x.example' };
  const dir = folderWith(t, { 'posts/a.md': text, 'pressmark.config.json': JSON.stringify(config) });
  const malformed: MalformedFile[] = [];
  const settings = await loadSettings(dir, {}, {});
  t.deepEqual([...deliveredArticles(settings, dir, (file) => malformed.push(file))], []);
  return malformed;
}

test('an article whose front matter an edit has broken is left out of the build, and no other malformed file is', async (t) => {
  for (const [what, [text, isBrokenArticle]] of Object.entries(CASES))
    t.like(await malformedIn(t, text), [{ isBrokenArticle }], what);
});

test('front matter of many lines without a closing one is read in time', async (t) => {
  const text = `---\n${BROKEN}${'\n'.repeat(200_000)}pressmark:\n  id: a\n`;
  const before = process.cpuUsage();
  t.true((await malformedIn(t, text))[0]?.isBrokenArticle);
  const { user } = process.cpuUsage(before);
  t.true(user < 5_000_000, `${user} µs`);
});
