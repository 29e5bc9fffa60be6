import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import test from 'ava';
import { type AdminClient, adminOf } from '../../support/admin.js';
import { namesIn } from '../../support/content.js';
import { article } from '../../support/events.js';
import { sharedHere } from '../../support/receiver-here.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { TOY_CONFIG, writeToySite } from '../deploy/toy-generator.js';

// A site that a generator of its own builds, with a theme; while `wait` is there, builds of a draft wait.

const wait = join(makeTempDir(), 'wait');
const BUILD = `set -e
if grep -rqs 'UNFINISHED' content; then echo 'toy: unfinished' >&2; exit 3; fi
while [ -e '${wait}' ] && grep -rqs 'DRAFT' content; do sleep 0.1; done
node toy.mjs
mkdir -p public/css
cp site.css public/css/site.css
sed -i 's|<head>|<head><link rel="stylesheet" href="/base/css/site.css"><script src="/base/x.js"></script>|' public/blog/*/index.html
`;
const fields = {
  title: 'Moss',
  description: '',
  tags: '',
  author: 'Ada',
  image: '',
  body: 'DRAFT of *moss*.',
};
const receiver = sharedHere(test, { env: { PRESSMARK_SITE_URL: '' } }, (folder) =>
  writeToySite(folder, {
    'pressmark.config.mjs': TOY_CONFIG.replace("build: 'node toy.mjs'", "build: 'sh build.sh', git: false"),
    'build.sh': BUILD,
    'site.css': 'body { background: green }',
  }),
);
const { dir } = receiver;
test.after.always(() => removeTempDir(dirname(wait))); // which ends a build that waits

/** The address of the frame in a page, below `/-/admin/`, and what stands before it in its tag. */
function frameIn(text: string): { readonly path: string; readonly attributes: string } {
  const [, attributes = '', path = ''] =
    /<iframe([^>]*) title="[^"]*" src="\/-\/admin\/([^"]+)"/.exec(text) ?? [];
  return { path: path.replaceAll('&#38;', '&').replaceAll('&amp;', '&'), attributes };
}

/** What the frame shows in the end. */
async function shownAt(ada: AdminClient, path: string): Promise<string> {
  let text = '';
  await until('the preview is there', async () => {
    ({ text } = await ada.get(path));
    return !text.includes('http-equiv="refresh"');
  });
  return text;
}

/** How many copies of the site there are. */
function copies(): number {
  const ofSite = (name: string) => join(tmpdir(), name, 'site', basename(dir));
  return fs
    .readdirSync(tmpdir())
    .filter((name) => name.startsWith('pressmark-copy-') && fs.existsSync(ofSite(name))).length;
}

test.serial(
  'previews: the site’s generator makes the page of a draft, and nothing of the site changes',
  async (t) => {
    const ada = await adminOf(receiver(), { name: 'Ada', role: 'editor' });
    await receiver().post('article.published', article({ id: 'p-1', slug: 'fern', title: 'Fern' }));
    await until('the page is built', () => fs.existsSync(join(dir, 'public/blog/fern/index.html')));
    const site = () => namesIn(dir).filter((name) => !/^\.pressmark|ivy|^public\/tags/.test(name));
    const before = site();
    fs.writeFileSync(wait, '');
    const shown = await ada.post(`articles/edit?id=p-1`, { ...fields, do: 'preview' });
    t.is(shown.status, 200);
    const { path, attributes } = frameIn(shown.text);
    t.notRegex(attributes, /sandbox/, 'browsers follow no refresh in a sandbox');
    const building = await ada.get(path);
    t.regex(building.text, /http-equiv="refresh"[\s\S]*is being built/);
    t.is((await receiver().post('article.published', article({ id: 'p-2', slug: 'ivy' }))).status, 200);
    await until('the site is built meanwhile', async () =>
      fs.existsSync(join(dir, 'public/blog/ivy/index.html')),
    );
    fs.rmSync(wait);
    const page = await shownAt(ada, path);
    t.regex(page, /<title>Moss<\/title>[\s\S]*<p>DRAFT of \*moss\*\.<\/p>/);
    t.regex(
      (await ada.get(path)).headers.get('content-security-policy') ?? '',
      /^default-src 'none'(?!.*script-src).*; sandbox$/,
    );
    t.deepEqual(site(), before);
    t.is(copies(), 1, 'that of the builds');
    for (const name of ['blog/fern/index.html', 'index.html', 'feed.xml'])
      t.notRegex(fs.readFileSync(join(dir, 'public', name), 'utf8'), /DRAFT/, name);

    // Its files are those of the site.
    t.regex(page, /<head><base href="\/base\/blog\/fern\/" target="_blank">.*href="\/base\/css\/site\.css"/);
    const styles = await fetch(`${receiver().origin}/base/css/site.css`);
    t.regex(await styles.text(), /background/);
  },
);
