import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Finding } from '../../../src/app/doctor/finding.js';
import { trialFindings } from '../../../src/app/doctor/trial-findings.js';
import { loadSettings } from '../../../src/config/load.js';
import { run } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
import { toyConfig, toyPost, writeToySite } from '../deploy/toy-generator.js';

/** The toy has no Markdown: its articles are HTML. */
const BODY = `reserved: ['permalink', 'templates', 'html'],
  body: (incoming) => ({ text: incoming.html, frontMatter: { templates: false, html: true } }),`;

/** A site of the toy generator, whose definition has these functions in its mapping. */
function toySite(t: Parameters<typeof tempDir>[0], mapping = ''): string {
  const dir = tempDir(t);
  writeToySite(dir, {
    'pressmark.config.mjs': toyConfig(`${BODY}${mapping}`),
    '.env': `PRESSMARK_SECRET=${SECRET}\n`,
    'content/old.md': toyPost({ title: 'Old', date: '2026-01-02', tags: ['soil'] }),
    'content/titled.md': toyPost({ title: 'A Title', date: '2026-01-02', permalink: '/p/:title/' }),
  });
  fs.chmodSync(join(dir, '.env'), 0o600);
  return dir;
}

const treeOf = (dir: string) =>
  new Map(
    fs
      .readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .filter((name) => fs.statSync(join(dir, name)).isFile())
      .map((name) => [name, fs.readFileSync(join(dir, name), 'utf8')]),
  );

async function tried(dir: string): Promise<Finding[]> {
  return trialFindings(await loadSettings(dir, {}, { PATH: process.env.PATH, HOME: dir }));
}

test('doctor --build says that a definition displays all articles as sent, and changes nothing in the site', async (t) => {
  const dir = toySite(t);
  const temp = tempDir(t);
  t.is((await run(['urls', '--dir', dir])).code, 0);
  const before = treeOf(dir);
  const { code, stdout, stderr } = await run(['doctor', '--build', '--json', '--dir', dir], { TMPDIR: temp });
  t.is(code, 0, stdout);
  const findings = (JSON.parse(stdout) as Finding[]).filter(({ about }) => about === 'trial build');
  t.is(findings.length, 1);
  t.regex(
    findings[0]?.text ?? '',
    /^\d{3} articles and updates, and updates of 2 posts, are displayed as they were sent/,
  );
  t.regex(stderr, /building a copy of the site \(2\)/);
  t.deepEqual(treeOf(dir), before);
  t.deepEqual(fs.readdirSync(temp), []);
});

test('doctor --build names a text that breaks the build, and removes the copy', async (t) => {
  const dir = toySite(
    t,
    `body: ({ html: text }) => ({
      text,
      frontMatter: { html: true, ...(!text.includes('os.Getenv') && { templates: false }) },
    }),`,
  );
  const temp = tempDir(t);
  const { code, stdout } = await run(['doctor', '--build', '--dir', dir], { TMPDIR: temp });
  t.is(code, 1);
  t.regex(
    stdout,
    /✗ trial build: with articles with the text "\{\{ readFile .*os\.Getenv.*", the build command "node toy\.mjs" ended/,
  );
  t.regex(stdout, /unknown template \{\{[\s\S]*→ let mapping\.body turn templates off/);
  t.deepEqual(fs.readdirSync(temp), []);
});

const FAULTS = {
  'that lets templates run': {
    mapping: `body: (incoming) => ({ text: incoming.html, frontMatter: { templates: 'run', html: true } }),`,
    said: [
      /article with "\{\{ \d+\*\d+ \}\}": a template has run: the page shows a computed result/,
      /article with "\{% include \\"\.env\\" %\}": the page has a value of \.env/,
      / of its text is not displayed as it was sent, but as "\d+/,
    ],
  },
  'that drops comments': {
    mapping: `writtenText: (text) => text.replace(/<!--[^]*?-->/g, ''),`,
    said: [/content_html cannot be read back as it was sent/, /the item comment is in the page not at all/],
  },
  'that puts pages elsewhere': {
    mapping: 'pin: () => ({}), isPinned: () => true,',
    said: [
      /no page at https:\/\/garden\.example\/base\/blog\/ordinary-bare\/; it is at https:\/\/garden\.example\/base\/ordinary-bare\//,
    ],
  },
  'whose pin it does not read itself': {
    mapping: 'isPinned: () => false,',
    said: [/lookups would not find it at .*, as its file does not pin its address/],
  },
  'that changes titles': {
    mapping: `writtenText: (text) => text.replaceAll('%}', ''),`,
    said: [/title.* cannot be read back/, /the title ".*%\}.*" is displayed as/],
  },
};

for (const [name, { mapping, said }] of Object.entries(FAULTS))
  test(`doctor --build finds a definition ${name}, and says what to do`, async (t) => {
    const findings = await tried(toySite(t, mapping));
    for (const pattern of said)
      t.true(
        findings.some(({ text }) => pattern.test(text)),
        `${pattern}\n${findings.map(({ text }) => text).join('\n\n')}`,
      );
    t.true(findings.every(({ level, fix }) => level === 'fail' && fix !== undefined));
  });

test('doctor --build finds a site that publishes .env, that loses pages, or that does not build without articles', async (t) => {
  const leaking = toySite(t);
  fs.appendFileSync(join(leaking, 'toy.mjs'), `write('env.txt', fs.readFileSync('.env', 'utf8'));\n`);
  t.regex((await tried(leaking))[0]?.text ?? '', /^the build puts what is in \.env into the site: env\.txt$/);
  const losing = toySite(t);
  fs.appendFileSync(
    join(losing, 'toy.mjs'),
    `if (posts.length > 9) fs.rmSync(path.join(out, 'old/index.html'));\n`,
  );
  t.regex((await tried(losing))[0]?.text ?? '', /^\/old\/ is not built any more/);
  const broken = toySite(t);
  fs.writeFileSync(join(broken, 'content/bad.md'), toyPost({ title: 'Bad' }, '{{ unknown }}'));
  const [first, ...others] = await tried(broken);
  t.regex(first?.text ?? '', /^without any trial article, the build command .* ended with exit code 1/);
  t.deepEqual(others, []);
});

test('an interrupted trial ends at once', async (t) => {
  const settings = await loadSettings(toySite(t), {}, { PATH: process.env.PATH });
  const controller = new AbortController();
  const trial = trialFindings(settings, { signal: controller.signal, onBuild: () => controller.abort() });
  await t.throwsAsync(trial, { code: 'BUILD_FAILED', message: /interrupted/ });
});

test('doctor --build refuses a site that Pressmark builds itself', async (t) => {
  const { code, stderr, stdout } = await run(['doctor', '--build', '--dir', tempDir(t)]);
  t.is(code, 2);
  t.regex(stderr, /Pressmark builds this site itself/);
  t.is(stdout, '');
});
