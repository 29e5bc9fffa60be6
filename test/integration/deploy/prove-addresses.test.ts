import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { addressDigest } from '../../../src/article/address-digest.js';
import type { ArticleMapping } from '../../../src/article/mapping.js';
import { runBuild } from '../../../src/deploy/build/run-build.js';
import { readAddressFile } from '../../../src/deploy/trial/address-file.js';
import { type ProofOptions, proveAddresses } from '../../../src/deploy/trial/prove-addresses.js';
import { readAddresses } from '../../../src/store/catalog/addresses.js';
import { tempDir } from '../../support/temp-dir.js';
import { TOY, TOY_FRONT_MATTER, TOY_MAPPING, toyPost, writeToySite } from './toy-generator.js';

const POSTS: Record<string, string> = {
  'plain.md': toyPost({ title: 'Plain', tags: ['soil'] }),
  'folder/deep.md': toyPost({ title: 'Deep', tags: ['soil', 'water'] }),
  'fixed.md': toyPost({ title: 'Fixed', permalink: '/fixed.html' }),
  'titled.md': toyPost({ title: 'A Title', permalink: '/p/:title/', tags: ['lonely'] }),
  'template.md': toyPost({ title: 'Template' }, 'Made with {{ site }}\n'),
  'draft.md': toyPost({ title: 'Draft', draft: true }),
  'listed.md': toyPost({ title: 'Listed', list: true }),
  'odd.md': 'no front matter\n',
};

/** A site with these posts. */
function site(t: Parameters<typeof tempDir>[0], files: Record<string, string> = POSTS) {
  const dir = tempDir(t);
  const cacheFile = join(dir, '.pressmark/addresses.json');
  const content = Object.entries(files).filter(([, text]) => text.startsWith('---'));
  writeToySite(dir, Object.fromEntries(content.map(([name, text]) => [`content/${name}`, text])));
  let builds = 0;
  const options: ProofOptions = {
    siteDir: dir,
    content: 'content',
    output: 'public',
    siteUrl: 'https://example.com',
    cacheFile,
    generator: TOY,
    mapping: TOY_MAPPING,
    frontMatter: TOY_FRONT_MATTER,
    command: () => 'node toy.mjs',
    env: { PATH: process.env.PATH },
    settings: {},
    runBuild: (run) => {
      builds++;
      return runBuild(run);
    },
    now: new Date(),
  };
  const prove = async (posts = files, more: Partial<ProofOptions> = {}) => {
    const before = builds;
    const { proofs, built } = await proveAddresses(
      Object.entries(posts).map(([path, text]) => ({ path, text })),
      { ...options, ...more },
    );
    const shown = Object.fromEntries(
      proofs.map((proof) => [
        proof.path,
        proof.kind === 'unproven' ? proof.reason : `${proof.address}${proof.moves ? ' moves' : ''}`,
      ]),
    );
    return { shown, builds: built ? builds - before : 0 };
  };
  return { dir, cacheFile, prove };
}

test('trial builds show which file is at which address, and which address an update would move', async (t) => {
  const { dir, cacheFile, prove } = site(t);
  const before = fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).toSorted();
  const { shown, builds } = await prove();
  t.deepEqual(shown, {
    'draft.md': 'draft',
    'fixed.md': '/fixed.html',
    'folder/deep.md': '/folder/deep/',
    'listed.md': 'several pages',
    'odd.md': 'front matter not supported',
    'plain.md': '/plain/',
    'template.md': '/template/',
    'titled.md': '/p/a-title/ moves',
  });
  t.is(builds, 2);
  // The site itself is as it was, but for the state folder.
  const after = fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).toSorted();
  t.deepEqual(
    after.filter((name) => !name.startsWith('.pressmark')),
    before,
  );
  t.is(fs.readFileSync(join(dir, 'content/plain.md'), 'utf8'), POSTS['plain.md'] ?? '');
  const facts = { path: 'titled.md', data: TOY_FRONT_MATTER.read(POSTS['titled.md'] ?? '').data };
  t.deepEqual(
    readAddresses(cacheFile, () => readAddressFile(cacheFile)?.configDigest ?? '').get('titled.md')?.digest,
    addressDigest(facts, TOY_MAPPING, true),
  );
});

test('nothing is built again as long as neither the posts nor the configuration have changed', async (t) => {
  const { dir, prove } = site(t);
  const first = await prove();
  t.deepEqual(await prove(), { ...first, builds: 0 });
  const edited = {
    ...POSTS,
    'plain.md': toyPost({ title: 'New', tags: ['other'], templates: false }, 'Other text.\n'),
  };
  t.is((await prove(edited)).builds, 0, 'what an update replaces does not matter');
  const fewer = Object.fromEntries(Object.entries(POSTS).filter(([name]) => name !== 'plain.md'));
  t.is((await prove(fewer)).builds, 0);
  t.is((await prove()).builds, 2, 'a file that has come back');
  const renamed = toyPost({ title: 'Another', permalink: '/p/:title/', tags: ['lonely'] });
  fs.writeFileSync(join(dir, 'content/titled.md'), renamed);
  const changed = await prove({ ...POSTS, 'titled.md': renamed });
  t.deepEqual([changed.builds, changed.shown['titled.md']], [2, '/p/another/ moves']);
  fs.appendFileSync(join(dir, 'toy.mjs'), '// changed\n');
  t.is((await prove({ ...POSTS, 'titled.md': renamed })).builds, 2, 'another configuration');
  t.is((await prove({ ...POSTS, 'titled.md': renamed }, { force: true })).builds, 2);
});

test('a failed trial build proves nothing, and leaves what was proven', async (t) => {
  const { dir, cacheFile, prove } = site(t);
  await prove();
  const kept = fs.readFileSync(cacheFile, 'utf8');
  const broken = { 'plain.md': toyPost({ title: 'Plain' }, '{{ unknown }}\n') };
  fs.writeFileSync(join(dir, 'content/plain.md'), broken['plain.md']);
  const error = await t.throwsAsync(prove({ ...POSTS, ...broken, 'new.md': toyPost({ title: 'New' }) }), {
    code: 'BUILD_FAILED',
  });
  t.regex(error?.message ?? '', /exit code 1:\n[\s\S]*plain\.md: unknown template \{\{ unknown \}\}/);
  t.is(fs.readFileSync(cacheFile, 'utf8'), kept);
  const wrong = await t.throwsAsync(prove(POSTS, { command: () => 'true', force: true }), {
    code: 'BUILD_FAILED',
  });
  t.regex(wrong?.message ?? '', /wrote no pages to public\//);
});

test('a build that never ends is ended', async (t) => {
  const { prove } = site(t);
  const error = await t.throwsAsync(prove(POSTS, { command: () => 'sleep 600 #', timeoutMs: 200 }), {
    code: 'BUILD_FAILED',
  });
  t.regex(error?.message ?? '', /was ended after/);
});

test('a file whose front matter is broken does not keep the addresses of others from being proven', async (t) => {
  const { prove } = site(t, {
    'broken.md': '---\ntitle: "never closed: [\n---\nText\n',
    'plain.md': toyPost({ title: 'Plain' }),
  });
  t.deepEqual((await prove()).shown, { 'broken.md': 'front matter not supported', 'plain.md': '/plain/' });
});

test('a post behind a symbolic link is not proven, and is not written to', async (t) => {
  const { dir, prove } = site(t);
  const outside = tempDir(t);
  const text = toyPost({ title: 'Far' });
  fs.writeFileSync(join(outside, 'far.md'), text);
  fs.symlinkSync(outside, join(dir, 'content/linked'));
  const { shown } = await prove({ ...POSTS, 'linked/far.md': text });
  t.is(shown['linked/far.md'], 'symbolic link');
  t.is(fs.readFileSync(join(outside, 'far.md'), 'utf8'), text);
});

/** HTML turns off templates in addresses, too. */
const SWITCHED_OFF: ArticleMapping = {
  ...TOY_MAPPING,
  body: (incoming) => ({
    text: incoming.kind === 'html' ? incoming.html : incoming.markdown,
    frontMatter: { templates: false, ...(incoming.kind === 'html' && { dynamic: false }) },
  }),
};

test('an address that depends on what an update in HTML turns off moves', async (t) => {
  const { prove } = site(t, {
    'named.md': toyPost({ title: 'Named', permalink: '/p/:name/' }),
    'plain.md': toyPost({ title: 'Plain' }),
  });
  t.deepEqual((await prove(undefined, { mapping: SWITCHED_OFF })).shown, {
    'named.md': '/p/named/ moves',
    'plain.md': '/plain/',
  });
});

test('the title of a file that writes its keys in another case is the title in the trial, too', async (t) => {
  const post = toyPost({ Title: 'Late Frost', permalink: '/p/:title/' });
  const { dir, prove } = site(t, { 'frost.md': post });
  const toy = fs.readFileSync(join(dir, 'toy.mjs'), 'utf8');
  // As Hugo does: keys in lowercase, the first of two that are equal then.
  const data = '{ ...folderData, ...yaml.load(front) }';
  const folded = `Object.fromEntries(Object.entries(${data}).toReversed().map(([key, value]) => [key.toLowerCase(), value]))`;
  fs.writeFileSync(join(dir, 'toy.mjs'), toy.replace(data, folded));
  const mapping = { ...TOY_MAPPING, ignoresKeyCase: true };
  t.deepEqual((await prove(undefined, { mapping })).shown, { 'frost.md': '/p/late-frost/ moves' });
});

test('posts that an update in HTML would move to one address, at which the build fails, are proven all the same', async (t) => {
  const { prove } = site(t, {
    'named.md': toyPost({ title: 'Named', permalink: '/p/:name/' }),
    'other.md': toyPost({ title: 'Other', permalink: '/p/:name/' }),
    'plain.md': toyPost({ title: 'Plain' }),
  });
  const { shown, builds } = await prove(undefined, { mapping: SWITCHED_OFF });
  t.deepEqual(shown, {
    'named.md': '/p/named/ moves',
    'other.md': '/p/other/ moves',
    'plain.md': '/plain/',
  });
  t.is(builds, 3);
});

test('posts whose addresses come from a data file of their folder are proven where the build fails with an update in HTML', async (t) => {
  const { dir, prove } = site(t, {
    'one.md': toyPost({ title: 'One' }),
    'two.md': toyPost({ title: 'Two' }),
    'fixed.md': toyPost({ title: 'Fixed', permalink: '/fixed/' }),
  });
  fs.writeFileSync(join(dir, 'content/content.json'), '{ "permalink": "/p/:name/" }');
  const { shown, builds } = await prove(undefined, { mapping: SWITCHED_OFF });
  t.deepEqual(shown, { 'fixed.md': '/fixed/', 'one.md': '/p/one/ moves', 'two.md': '/p/two/ moves' });
  t.is(builds, 3);
});

test('a site without posts whose address is unknown is not built', async (t) => {
  const { prove } = site(t, {});
  t.deepEqual(await prove(), { shown: {}, builds: 0 });
});
