import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { articleFiles } from '../../support/content.js';
import { article } from '../../support/events.js';
import { run, startReceiver } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';

interface Finding {
  level: string;
  about: string;
  text: string;
  mend?: string;
}

async function doctor(
  dir: string,
  env: NodeJS.Dict<string> = {},
): Promise<{ code: number | null; findings: Finding[] }> {
  const { code, stdout } = await run(['doctor', '--dir', dir, '--json'], env);
  return { code, findings: JSON.parse(stdout) as Finding[] };
}

const about = (findings: Finding[], what: string) => findings.filter((finding) => finding.about === what);

test('doctor finds a missing and a weak secret, and a site URL that would not last', async (t) => {
  const dir = tempDir(t);
  const bare = await doctor(dir);
  t.is(bare.code, 1);
  t.is(about(bare.findings, 'secret')[0]?.level, 'fail');
  t.is(about(bare.findings, 'site URL')[0]?.level, 'warn');
  const weak = await doctor(dir, {
    PRESSMARK_SECRET: 'hunter2',
    PRESSMARK_SITE_URL: 'https://garden.example',
  });
  t.is(weak.code, 0);
  t.regex(about(weak.findings, 'secret')[0]?.text ?? '', /guessed/);
  t.is(about(weak.findings, 'site URL')[0]?.level, 'ok');
  t.true(
    [...bare.findings, ...weak.findings].every(({ level, mend }) => level === 'ok' || mend !== undefined),
    'each says how to mend it',
  );
});

test('doctor names the program that takes locks, and one that is missing', async (t) => {
  const dir = tempDir(t);
  const env = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: 'https://garden.example' };
  const helper = async (more: NodeJS.Dict<string> = {}) => {
    const { code, findings } = await doctor(dir, { ...env, ...more });
    return { code, found: about(findings, 'lock helper') };
  };
  const fine = await helper();
  t.is(fine.code, 0);
  t.like(fine.found, [{ level: 'ok' }]);
  t.regex(fine.found[0]?.text ?? '', /^(?:flock|perl)/);
  const without = await helper({ PATH: tempDir(t) });
  t.is(without.code, 1);
  t.like(without.found, [{ level: 'fail', mend: 'install util-linux' }]);
  t.regex(without.found[0]?.text ?? '', /neither flock nor perl was found/);
});

test('doctor finds duplicate ids and URLs and malformed files, and changes nothing', async (t) => {
  const dir = tempDir(t);
  const receiver = await startReceiver(t, { dir });
  await receiver.post('article.published', article({ id: 'a', slug: 'a' }));
  await receiver.stop();
  const [file = ''] = articleFiles(dir);
  fs.copyFileSync(file, file.replace('a.md', 'copy.md'));
  fs.writeFileSync(join(dir, 'content/broken.md'), '---\ntitle: "x\n---\n');
  const { code, findings } = await doctor(dir, {
    PRESSMARK_SECRET: SECRET,
    PRESSMARK_SITE_URL: 'https://garden.example',
  });
  t.is(code, 1);
  const texts = about(findings, 'articles').map(({ text }) => text);
  t.true(texts.some((text) => text.includes('have the id "a"') && text.includes('copy.md')));
  t.true(texts.some((text) => text.includes('have the URL "https://garden.example/articles/a"')));
  t.true(texts.some((text) => /broken\.md is malformed, line \d/.test(text)));
});

test('doctor tells of git: the branch, who commits, an ignored content folder, a secret that is not ignored', async (t) => {
  const dir = tempDir(t);
  const env = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: 'https://garden.example', HOME: dir };
  t.regex(
    about((await doctor(dir, env)).findings, 'git')[0]?.text ?? '',
    /not committed: the site is not in a git work tree/,
  );
  execFileSync('git', ['init', '--quiet', '--initial-branch', 'trunk', dir]);
  fs.writeFileSync(join(dir, '.gitignore'), '.env\n');
  const fine = await doctor(dir, env);
  t.is(fine.code, 0);
  t.deepEqual(
    about(fine.findings, 'git').map(({ level, text }) => [level, text]),
    [
      ['ok', 'articles are committed to trunk'],
      ['ok', 'commits are by Pressmark <pressmark@localhost>'],
    ],
  );
  fs.writeFileSync(join(dir, '.env'), '', { mode: 0o600 });
  fs.writeFileSync(join(dir, '.gitignore'), 'content/\n');
  const wrong = await doctor(dir, env);
  t.is(wrong.code, 1);
  t.deepEqual(
    about(wrong.findings, 'git').map(({ level }) => level),
    ['ok', 'warn', 'fail', 'ok'],
  );
});

test('doctor tries every template, with the plugins’ filters, and names file, line and reason', async (t) => {
  const dir = tempDir(t);
  const env = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: 'https://garden.example' };
  const theme = async () => about((await doctor(dir, env)).findings, 'theme');
  t.deepEqual(
    (await theme()).map(({ level }) => level),
    ['ok'],
  );
  const own = (name: string, text: string) => {
    fs.mkdirSync(dirname(join(dir, name)), { recursive: true });
    fs.writeFileSync(join(dir, name), text);
  };
  own('templates/partials/byline.eta', '\n<%= it.article.updated.length %>');
  own('templates/tag.eta', '<% if ( %>');
  own('templates/author.eta', '<%= it.extra.weather.text %>');
  own(
    'plugins/weather.mjs',
    `export default { name: 'weather', setup(host) {
      host.addFilter('page.context', (value) => ({ ...value, extra: { weather: { text: 'fair' } } }));
    } };`,
  );
  const findings = await theme();
  t.deepEqual(
    findings.map(({ level }) => level),
    ['fail', 'fail'],
  );
  const texts = findings.map(({ text }) => text).sort();
  t.regex(texts[0] ?? '', /^template partials\/byline\.eta:2: Cannot read .* \(in article\.eta:\d+\)$/);
  t.regex(texts[1] ?? '', /^template tag\.eta:1: /);
  t.is((await doctor(dir, env)).code, 1);
  t.false(fs.existsSync(join(dir, 'public')), 'nothing is built');

  own('plugins/weather.mjs', 'export default 3;');
  t.regex((await theme())[0]?.text ?? '', /plugins\/weather\.mjs/);
  own('pressmark.config.json', '{ "site": false }');
  t.is((await theme())[0]?.level, 'ok');
});
