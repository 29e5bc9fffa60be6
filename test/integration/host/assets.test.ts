import { hash } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { gitIn, makeRemote } from '../../support/clones.js';
import { fileOf, readStored } from '../../support/content.js';
import { article } from '../../support/events.js';
import { generatorSite } from '../../support/generator-site.js';
import { type ReceiverHere, startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { withPlugins } from '../../support/with-plugins.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const GIF = Buffer.from('R0lGODlhAQABAAAAACw=', 'base64');

/** Puts a picture for each new article, another that the article's text names, and one that nobody names. */
const PLUGIN = `
const [png, gif] = ['${PNG.toString('base64')}', '${GIF.toString('base64')}'].map((text) => Buffer.from(text, 'base64'));
export default { name: 'pictures', receiver(host) {
  host.addFilter('article.draft', async (draft) => {
    const { url } = await host.assets.put(png, { type: 'image/png' });
    await host.assets.put(gif, { article: draft.id, variant: 'small' });
    await host.assets.put(Buffer.concat([gif, Buffer.from(draft.id)]));
    return { ...draft, image: url };
  });
  host.routes((router) => router.post('/put', async (context) => {
    try { context.body = await host.assets.put(Buffer.from(context.request.body.hex, 'hex'), context.request.body.name); }
    catch ({ code, status, message }) { context.body = { code, status, message }; }
  }));
} };`;

const withPlugin = (dir: string) => withPlugins(dir, { pictures: PLUGIN });

async function put(receiver: ReceiverHere, bytes: Uint8Array, name: unknown = {}) {
  const answer = await fetch(`${receiver.origin}/-/pictures/put`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ hex: Buffer.from(bytes).toString('hex'), name }),
  });
  return (await answer.json()) as Readonly<Record<string, string | number>>;
}

const filesOfCommit = (dir: string, branch = 'HEAD') =>
  gitIn(dir, 'show', '--name-only', '--format=', branch).split('\n').filter(Boolean).sort();

test('an asset is in the output of a plain site, and in the commit of the article that it was given or that names it; one that git ignores, or that is behind a link, keeps no article from being committed', async (t) => {
  const dir = withPlugin(tempDir(t));
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  const receiver = await startHere(t, { dir, config: { site: { search: false } } });
  const { status, text } = await receiver.post('article.published', article({ id: 'moss', slug: 'moss' }));
  t.is(status, 200, text);
  const { pathname } = new URL(readStored(fileOf(dir, 'moss')).article.image ?? '');
  t.regex(pathname, /^\/media\/[0-9a-f]{2}\/[0-9a-f]{32}\.png$/);
  const picture = () => fetch(`${receiver.origin}${pathname}`);
  await until('the site has the picture', async () => (await picture()).ok);
  const answer = await picture();
  t.is(answer.headers.get('content-type'), 'image/png');
  t.deepEqual(Buffer.from(await answer.arrayBuffer()), PNG);
  await until('the article is committed', () => gitIn(dir, 'for-each-ref', 'refs/heads').trim() !== '');
  const files = filesOfCommit(dir);
  t.is(files.length, 3, files.join());
  t.regex(files[0] ?? '', /^content\//);
  t.true(files.includes(`static${pathname}`));
  t.true(files.some((file) => /^static\/media\/[0-9a-f]{12}\/[0-9a-f]{32}-small\.gif$/.test(file)));
  const left = gitIn(dir, 'status', '--porcelain', '-uall', 'static').trim();
  t.regex(left, /^\?\? static\/media\/[0-9a-f]{2}\/[0-9a-f]{32}\.gif$/, 'the one that nobody names');

  fs.writeFileSync(join(dir, `static${pathname}`), Buffer.alloc(PNG.length)); // as a power loss may leave it
  const again = await put(receiver, PNG);
  t.deepEqual(again, {
    url: `https://garden.example${pathname}`,
    path: `static${pathname}`,
    type: 'image/png',
  });
  t.deepEqual(fs.readFileSync(join(dir, `static${pathname}`)), PNG);
  const { mtimeMs } = fs.statSync(join(dir, `static${pathname}`));
  await put(receiver, PNG);
  t.is(fs.statSync(join(dir, `static${pathname}`)).mtimeMs, mtimeMs, 'what is there is not written again');

  t.like(await put(receiver, Buffer.from('<svg/>')), { code: 'TYPE_UNSUPPORTED', status: 415 });
  t.like(await put(receiver, PNG, { variant: '../../x' }), { code: 'USAGE' });
  const misspelt = await put(receiver, PNG, { varient: 'x' });
  t.regex(
    String(misspelt.message),
    /^assets\.put: it has the unknown key "varient"; did you mean variant\?;/,
  );

  const publish = async (id: string, nth: string) => {
    await receiver.post('article.published', article({ id, slug: id }));
    await until(`${id} is committed`, () => gitIn(dir, 'rev-list', '--count', '--branches').trim() === nth);
    t.is(filesOfCommit(dir).length, 1, id);
  };
  const elsewhere = join(tempDir(t), 'static');
  fs.renameSync(join(dir, 'static'), elsewhere);
  fs.symlinkSync(elsewhere, join(dir, 'static'));
  await publish('fern', '2');
  const small = fs.readdirSync(join(elsewhere, 'media'), { recursive: true, encoding: 'utf8' });
  t.is(small.filter((name) => name.endsWith('-small.gif')).length, 2);
  fs.unlinkSync(join(dir, 'static'));
  fs.appendFileSync(join(dir, '.git/info/exclude'), 'static/\n');
  await publish('ivy', '3');

  const other = Buffer.concat([GIF, Buffer.from('another')]);
  fs.writeFileSync(join(dir, 'static/media', hash('sha256', other).slice(0, 2)), 'a file of the owner');
  t.like(await put(receiver, other), { code: 'STORE_FAILED', status: 500 });
  fs.rmSync(join(dir, `static${pathname}`));
  fs.mkdirSync(join(dir, `static${pathname}`)); // so that no file can get this name
  t.like(await put(receiver, PNG), { code: 'STORE_FAILED', status: 500 });
  // Directly in `.pressmark/` the running receiver writes its state; assets are staged elsewhere.
  const staged = fs
    .readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tmp') && dirname(name) !== '.pressmark');
  t.deepEqual(staged, []);
});

test('an asset reaches the remote in the commit of its article where an answer waits for the push', async (t) => {
  const { clone, git } = makeRemote(tempDir(t), undefined, { durability: 'push', site: false });
  const dir = clone('one');
  withPlugin(dir);
  const other = clone('other');
  const receiver = await startHere(t, { dir });
  const { status, text } = await receiver.post('article.published', article({ id: 'moss', slug: 'moss' }));
  t.is(status, 200, text);
  const files = git('show', '--name-only', '--format=', 'main').trim().split('\n');
  t.is(files.length, 3, files.join());
  t.is(gitIn(dir, 'status', '--porcelain', '-uno'), '', 'the work tree is the commit');
  gitIn(other, 'pull', '--quiet');
  for (const file of files)
    t.true(fs.readFileSync(join(other, file)).equals(fs.readFileSync(join(dir, file))));
});

test('what the built site lacks of the assets is copied after the build of another generator', async (t) => {
  const build = "mkdir -p public && echo '<html><head></head><body></body></html>' > public/index.html";
  const dir = withPlugin(generatorSite(tempDir(t), 'eleventy', { config: { build } }));
  const receiver = await startHere(t, { dir });
  const { path, url } = await put(receiver, PNG);
  t.regex(String(path), /^static\/media\//);
  await receiver.post('article.published', article({ id: 'moss', slug: 'moss' }));
  const inOutput = join(dir, 'public', new URL(String(url)).pathname);
  await until('the output has the picture', () => fs.existsSync(inOutput));
  t.deepEqual(fs.readFileSync(inOutput), PNG);
});
