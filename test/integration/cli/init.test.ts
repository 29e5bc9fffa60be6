import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { askSite } from '../../../src/app/init/inspect-site.js';
import { loadSettings } from '../../../src/config/load.js';
import { gitIn } from '../../support/clones.js';
import { namesIn } from '../../support/content.js';
import { runHere } from '../../support/in-process.js';
import { bareEnvironment, PROGRAM, startProgram } from '../../support/receiver.js';
import { standInProgram } from '../../support/stand-in-generator.js';
import { folderWith, makeTempDir, removeTempDir, tempDir } from '../../support/temp-dir.js';
import { soon } from '../../support/until.js';

/** Every file of a folder with its content. */
const treeOf = (dir: string) =>
  Object.fromEntries(fs.readdirSync(dir).map((name) => [name, fs.readFileSync(join(dir, name), 'utf8')]));

/** What Hugo 0.111.3 prints of the site of `hugoSite`. */
const hugo = (baseUrl: string) => ({
  config: baseUrl === '' ? 'publishdir = "public"\n' : `baseurl = "${baseUrl}"\npublishdir = "public"\n`,
  'config mounts':
    '{\n   "path": "project",\n   "mounts": [\n      {\n         "source": "content",\n         "target": "content"\n      }\n   ]\n}\n',
  'list all': `path,slug,title,date,expiryDate,publishDate,draft,permalink\ncontent/posts/a.md,,A,2026-01-01T00:00:00Z,0001-01-01T00:00:00Z,2026-01-01T00:00:00Z,false,${baseUrl}posts/a/\n`,
});

const programs = makeTempDir();
test.after.always(() => removeTempDir(programs));
const PATH = `${standInProgram(join(programs, 'notes'), 'hugo', hugo('https://garden.example/notes/'))}:${process.env.PATH}`;
const PATH_OF_NEW = `${standInProgram(join(programs, 'new'), 'hugo', hugo(''))}:${process.env.PATH}`;

const initWith =
  (path: string) =>
  (dir: string, ...flags: string[]) =>
    runHere(['init', '--dir', dir, ...flags], { PATH: path });
const init = initWith(PATH);
const initNew = initWith(PATH_OF_NEW);

test('init asks a generator where it finds the history of the site', async (t) => {
  const dir = folderWith(t, { 'content/a.md': '' });
  gitIn(dir, 'init', '--quiet');
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'First');
  const site = askSite(dir, { PATH: process.env.PATH }, { name: 'hugo', caches: [] });
  t.teardown(site.close);
  t.is(await site.ask('git log --format=%s -- content/a.md'), 'First\n');
});

test('init says what git says of a repository that it cannot read', async (t) => {
  const dir = folderWith(t, HUGO);
  gitIn(dir, 'init', '--quiet');
  fs.writeFileSync(join(dir, '.git/index'), 'no index');
  const { code, stderr } = await init(dir);
  t.is(code, 1, stderr);
  t.regex(stderr, /^pressmark: git ls-files ended with exit code 128: fatal: .*index/);
});

test('init writes a config, a secret that nobody else can read, and .gitignore lines', async (t) => {
  const dir = tempDir(t);
  const { code, stdout } = await initNew(dir, '--site-url', 'https://garden.example');
  t.is(code, 0);
  t.regex(stdout, /^\+ write pressmark\.config\.mjs$/m);
  t.regex(stdout, /https:\/\/<your host>\/webhook/);
  t.regex(stdout, /not in a git repository/);
  t.regex(fs.readFileSync(join(dir, '.env'), 'utf8'), /^PRESSMARK_SECRET=[\w-]{43}\n$/);
  t.is(fs.statSync(join(dir, '.env')).mode & 0o777, 0o600);
  t.is(fs.readFileSync(join(dir, '.gitignore'), 'utf8'), '.env\n.pressmark/\npublic/\n');
  t.is((await runHere(['doctor', '--dir', dir])).code, 0, 'doctor finds nothing that fails');
});

test('init overwrites nothing, and a second time changes nothing', async (t) => {
  const dir = folderWith(t, {
    '.env': 'OTHER=1\nPRESSMARK_SECRET=mine',
    '.gitignore': 'node_modules\r\n/public\r\n',
    'pressmark.config.json': '{"siteUrl":"https://mine.example"}',
  });
  const { stdout } = await init(dir);
  t.deepEqual(stdout.match(/^[+=] .*$/gm), [
    '+ add .env, .pressmark/ to .gitignore',
    '= pressmark.config.json is there already',
    '= .env has a PRESSMARK_SECRET already',
  ]);
  const after = treeOf(dir);
  t.deepEqual(after, {
    '.env': 'OTHER=1\nPRESSMARK_SECRET=mine',
    '.gitignore': 'node_modules\r\n/public\r\n.env\r\n.pressmark/\r\n',
    'pressmark.config.json': '{"siteUrl":"https://mine.example"}',
  });
  const again = await init(dir, '--site-url', 'https://other.example');
  t.regex(again.stdout, /^Nothing was changed\.$/m);
  t.regex(
    again.stdout,
    /→ set siteUrl to 'https:\/\/other\.example' in pressmark\.config\.json, if it is not set so$/m,
  );
  t.deepEqual(treeOf(dir), after);
});

test('init --dry-run prints the diff, hides all secrets, and writes nothing', async (t) => {
  const dir = folderWith(t, { '.env': 'API_KEY=abc123\n# def456', 'package.json': '{}' });
  const before = treeOf(dir);
  const { code, stdout } = await init(dir, '--dry-run', '--site-url', 'https://garden.example/');
  t.is(code, 0);
  t.deepEqual(treeOf(dir), before);
  t.regex(stdout, /^--- \/dev\/null\n\+\+\+ b\/pressmark\.config\.mjs\n@@ -0,0 \+1,\d+ @@$/m);
  t.true(stdout.includes("+  siteUrl: 'https://garden.example',"));
  t.true(stdout.includes('+PRESSMARK_SECRET=<random>'));
  t.notRegex(stdout, /abc123|def456/);
  t.true(stdout.includes('+node_modules/'));
  const none = join(dir, 'none');
  t.is((await init(none, '--dry-run')).code, 0);
  t.false(fs.existsSync(none));
});

test('init refuses answers that cannot be, and writes nothing', async (t) => {
  const dir = tempDir(t);
  for (const [flags, message] of [
    [['--site-url', 'garden.example'], /--site-url "garden\.example": it must be an absolute http\(s\) URL/],
    [['--generator', 'hugoo'], /--generator "hugoo" is not known; use .*plain/],
    [['--front-matter', 'layout'], /--front-matter "layout" must have the form key=value/],
    [['--key', 'picture=x'], /--key "picture=x" must have the form field=key/],
  ] as const) {
    const { code, stderr } = await init(dir, ...flags);
    t.is(code, 2, flags.join(' '));
    t.regex(stderr, message);
  }
  t.deepEqual(fs.readdirSync(dir), []);
});

/** A small site of Hugo with a package.json, as `git clone` gives it. */
const HUGO = {
  'hugo.toml': 'baseURL = "https://garden.example/notes/"\n',
  'package.json': '{\n\t"scripts": {\n\t\t"build": "hugo --minify"\n\t}\n}',
  'content/posts/a.md': '---\ntitle: A\ndate: 2026-01-01\n---\nText\n',
};

test('init in a site of Hugo needs no answer, what it writes is a valid config, and a second time changes nothing', async (t) => {
  const dir = folderWith(t, HUGO);
  const { code, stdout } = await init(dir);
  t.is(code, 0);
  t.regex(stdout, /^ {2}generator +hugo \(hugo\.toml\)$/m);
  t.regex(stdout, /^ {2}asked +hugo config; hugo config mounts; hugo list all$/m);
  t.regex(stdout, /^ {2}site URL +https:\/\/garden\.example\/notes/m);
  t.regex(stdout, /^ {2}3\. npx pressmark start, which receives articles and builds the site after each$/m);
  t.like(await loadSettings(dir, {}, {}), {
    generator: 'hugo',
    siteUrl: 'https://garden.example/notes',
    content: 'content',
    output: 'public',
    articles: { file: 'posts/:slug.md', permalink: '/posts/:slug/' },
  });
  t.regex(
    fs.readFileSync(join(dir, 'package.json'), 'utf8'),
    /\n\t\t"postbuild": "pressmark postbuild public"\n/,
  );
  t.regex((await init(dir)).stdout, /^Nothing was changed\.$/m);
});

test('init says what to do about an output that git tracks, as a build cannot replace it', async (t) => {
  const dir = folderWith(t, { ...HUGO, 'public/index.html': '<title>Old</title>' });
  gitIn(dir, 'init', '--quiet');
  gitIn(dir, 'add', '.');
  const whole = await init(dir, '--dry-run', '--output', '.');
  t.regex(whole.stdout, /^! git tracks files in \., .*\n {2}→ have the generator write another folder/m);
  const { code, stdout } = await init(dir);
  t.is(code, 0, stdout);
  t.regex(stdout, /^! git tracks files in public, .*\n {2}→ run git rm -r --cached public, /m);
  const config = { generator: 'hugo', siteUrl: 'https://garden.example/notes' };
  for (const [build, isReplaced] of [
    [{ command: 'hugo', background: false }, false],
    [{ command: 'hugo' }, true],
  ] as const) {
    fs.rmSync(join(dir, 'pressmark.config.mjs'), { force: true });
    fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ ...config, build }));
    t.is((await init(dir)).stdout.includes('git tracks files in public'), isReplaced);
  }
});

test('without the generator on the machine, init says so, and flags say what it cannot ask', async (t) => {
  const dir = folderWith(t, HUGO);
  const flags = ['--site-url', 'https://garden.example', '--output', 'dist', '--build', 'hugo -d dist'];
  const without = initWith(`${standInProgram(programs, 'hugo', {})}:/usr/bin:/bin`);
  const { code, stdout } = await without(dir, ...flags, '--key', 'image=cover.image', 'author=author');
  t.is(code, 0);
  t.regex(stdout, /! hugo could not be asked about the site: .* ended with exit code 1/);
  t.is(stdout.split('could not be asked').length, 2, 'once for all commands');
  t.like(await loadSettings(dir, {}, {}), {
    generator: { name: 'hugo', keys: { image: 'cover.image', author: 'author' } },
    output: 'dist',
    build: 'hugo -d dist',
  });
});

test('without a terminal, a question without an answer ends init with code 2 and names the flag', async (t) => {
  const dir = folderWith(t, { ...HUGO, 'hugo.toml': '' });
  const before = fs.readdirSync(dir);
  const { code, stderr } = await initNew(dir);
  t.is(code, 2);
  t.regex(stderr, /nothing was written: .*\(--site-url <url>\)/);
  t.deepEqual(fs.readdirSync(dir), before);
  const later = await initNew(dir, '--yes');
  t.is(later.code, 0);
  t.regex(later.stdout, /^ {2}1\. Set siteUrl in pressmark\.config\.mjs\.$/m);
});

test('on a terminal init asks for what it cannot know, and again after an answer that cannot be', async (t) => {
  const dir = tempDir(t);
  const command = [process.execPath, PROGRAM, 'init', '--dir', dir].join(' ');
  const child = spawn('script', ['-qefc', command, '/dev/null'], { env: bareEnvironment() });
  t.teardown(() => child.kill('SIGKILL'));
  const answers: [asked: RegExp, answer: string][] = [
    [/\[later\]/, 'garden.example\r'],
    [/must be an absolute[\s\S]*\[later\]/, '  https://garden.example  \r'],
  ];
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    if (answers[0]?.[0].test(printed)) child.stdin.write(answers.shift()?.[1] ?? '');
  });
  await soon('it ends', once(child, 'close'));
  t.deepEqual(answers, [], printed);
  t.is((await loadSettings(dir, {}, {})).siteUrl, 'https://garden.example');
});

test('init does its work and ends with code 0 when nobody reads its output any more', async (t) => {
  const dir = tempDir(t);
  const { child, ended } = startProgram(['init', '--dir', dir]);
  child.stdin.end();
  child.stdout.destroy();
  t.like(await ended(), { code: 0, stderr: '' });
  t.true(fs.existsSync(join(dir, 'pressmark.config.mjs')));
});

const GRIDSOME = {
  'gridsome.config.js': "module.exports = { siteName: 'Notes' };\n",
  'package.json': '{"scripts":{"build":"gridsome build"},"dependencies":{"gridsome":"^0.7.23"}}',
  'public/index.html': '<meta name="generator" content="Gridsome v0.7.23">\n',
};

const initYes = (dir: string, ...flags: string[]) => runHere(['init', '--dir', dir, '--yes', ...flags]);

test('init names the generator of a site that it does not know and writes nothing; with --generator plain it makes a site beside it', async (t) => {
  const dir = folderWith(t, GRIDSOME);
  const before = namesIn(dir);
  const { code, stderr } = await initYes(dir, '--site-url', 'https://notes.example');
  t.is(code, 2);
  t.true(stderr.includes('nothing was written: Gridsome builds this site (gridsome.config.js)'), stderr);
  t.regex(stderr, /docs\/generators\.md.*plain.*\(--generator <name>\)/);
  t.deepEqual(namesIn(dir), before);

  const insisted = await initYes(dir, '--site-url', 'https://notes.example', '--generator', 'plain');
  t.is(insisted.code, 0, insisted.stderr);
  t.like(await loadSettings(dir, {}, {}), { content: 'pressmark/content', output: 'pressmark/public' });
  t.true(fs.readFileSync(join(dir, '.gitignore'), 'utf8').split('\n').includes('pressmark/public/'));
  for (const [path, text] of Object.entries(GRIDSOME)) t.is(fs.readFileSync(join(dir, path), 'utf8'), text);
});

test('start, build and doctor refuse an output folder with the home page of another program', async (t) => {
  const dir = folderWith(t, {
    'pressmark.config.json': '{"siteUrl":"https://notes.example","git":false}',
    'public/index.html': '<meta name="generator" content="Hexo 7.3.0">\n',
  });
  for (const command of ['start', 'build', 'doctor']) {
    const port = command === 'build' ? [] : ['--port', '0'];
    const { code, stdout, stderr } = await runHere([command, '--dir', dir, ...port], {
      PRESSMARK_SECRET: 'x'.repeat(40),
    });
    t.is(code, command === 'doctor' ? 1 : 2, command);
    t.regex(
      `${stdout}${stderr}`,
      /public\/ contains files that Pressmark did not write, such as index\.html/,
    );
  }
  t.deepEqual(namesIn(join(dir, 'public')), ['index.html']);
});
