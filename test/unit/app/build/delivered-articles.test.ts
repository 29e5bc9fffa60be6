import test, { type ExecutionContext } from 'ava';
import { deliveredArticles, type MalformedFile } from '../../../../src/app/build/postbuild.js';
import { loadSettings } from '../../../../src/config/load.js';
import { folderWith } from '../../../support/temp-dir.js';

const BROKEN = 'title: a\ntags: [x\n';

const CASES: Readonly<Record<string, readonly [text: string, isBrokenArticle: boolean]>> = {
  'an article whose YAML an edit has broken': [`---\n${BROKEN}pressmark:\n  id: a\n---\nText.\n`, true],
  'one of which the closing line is missing, too': [`---\n${BROKEN}pressmark:\n  id: a\n`, true],
  'one in TOML whose own keys are below another one': [
    `+++\n${BROKEN}[extra.pressmark]\nid = "a"\n+++\nText.\n`,
    true,
  ],
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

/** A generator that allows other front matter only below `extra`. */
const BELOW_EXTRA = `export default {
  siteUrl: 'https://x.example', content: 'posts', output: 'dist',
  generator: {
    name: 'extra',
    mapping: ({ constants }) => ({
      own: ['extra', 'pressmark'],
      keys: { title: 'title', description: 'description', date: 'date', updated: null, tags: null, image: null },
      constants, reserved: [], isArticlePath: () => true, slug: () => 'a', image: (url) => url, tagKey: (tag) => tag,
      date: (iso) => ({ kind: 'timestamp', text: iso }), extension: () => '.md',
      body: (incoming) => ({ text: incoming.html, frontMatter: {} }), pin: () => ({}), isPinned: () => true,
      publication: () => ({ kind: 'dated' }),
    }),
  },
};`;

test('the page of an article whose front matter is below another key is completed like any other', async (t) => {
  const text = (id: string) =>
    `---\ntitle: a\nextra:\n  pressmark:\n    id: ${id}\n    url: https://x.example/a/\n---\nText.\n`;
  const own = { 'posts/a.md': text('art-1'), 'posts/b.md': text('""') };
  const dir = folderWith(t, { ...own, 'pressmark.config.mjs': BELOW_EXTRA });
  const settings = await loadSettings(dir, {}, {});
  const found = [...deliveredArticles(settings, dir, ({ path }) => t.fail(path))];
  t.like(found, [{ path: 'a.md', url: 'https://x.example/a/' }]);
  t.is(found.length, 1);
});

test('front matter of many lines without a closing one is read in time', async (t) => {
  const text = `---\n${BROKEN}${'\n'.repeat(200_000)}pressmark:\n  id: a\n`;
  const before = process.cpuUsage();
  t.true((await malformedIn(t, text))[0]?.isBrokenArticle);
  const { user } = process.cpuUsage(before);
  t.true(user < 5_000_000, `${user} µs`);
});
