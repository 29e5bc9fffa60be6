import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { runHere } from '../../support/in-process.js';
import { run, SITE_URL } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { folderWith, tempDir } from '../../support/temp-dir.js';

// Which settings are refused is tested in test/unit/config.

// Every examination opens a log, which is written out at the end of the process.
process.setMaxListeners(50);

interface Refusal {
  readonly code: number;
  readonly words: RegExp;
  readonly port?: number | string;
  readonly env?: Readonly<Record<string, string>>;
}

async function refuses(
  t: ExecutionContext,
  dir: string,
  { code, words, port = 0, env = {} }: Refusal,
): Promise<void> {
  const args = ['--dir', dir, '--port', String(port)];
  const variables: NodeJS.Dict<string> = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL, ...env };
  // As a program where PATH is another one, as other tests of this process start programs meanwhile.
  const pressmark = variables.PATH === undefined ? runHere : run;
  const ended = await pressmark(['start', ...args], variables);
  t.is(ended.code, code, ended.stderr);
  t.is(ended.stderr.trimEnd().split('\n').length, 1, ended.stderr);
  t.regex(ended.stderr, words);
  t.notRegex(ended.stderr, /\n\s+at /, 'no stack');
  t.false((ended.stdout + ended.stderr).includes(SECRET));
  const doctor = await pressmark(['doctor', ...args], variables);
  t.not(doctor.code, 0, 'doctor does not call fine what the start refuses');
  const reason = ended.stderr.replace(/^pressmark: /, '').trimEnd();
  const said = doctor.stdout + doctor.stderr;
  t.true(said.includes(reason), `${reason}\n${said}`);
}

/** A site with these files, whose receiver says nothing but why it does not start. */
const siteWith = (t: ExecutionContext, files: Readonly<Record<string, string>>, config: object = {}) =>
  folderWith(t, { ...files, 'pressmark.config.json': JSON.stringify({ logLevel: 'silent', ...config }) });

type Refused = Pick<Refusal, 'code' | 'words'> & { readonly config?: object; readonly env?: string };

/** Sites that the start refuses, and what it says. */
const REFUSED: Readonly<Record<string, Refused>> = {
  'whose articles would be where files are no articles': {
    config: { articles: { file: 'tags/:slug.md' } },
    code: 2,
    words: /articles\.file "tags\/:slug\.md" is in pages\/, tags\/ or authors\//,
  },
  'with a durability level that needs git, and git: false': {
    config: { durability: 'commit', git: false },
    code: 2,
    words: /durability: 'commit' cannot be combined with git: false; remove git: false/,
  },
  'with a durability level that needs git, outside of a work tree': {
    config: { durability: 'commit' },
    code: 2,
    words: /durability: 'commit' is not possible here: the site is not in a git work tree/,
  },
  'with a branch target outside of a repository': {
    config: { deploy: { branch: 'gh-pages' } },
    code: 2,
    words: /deploy has the branch gh-pages, and the site is not in a git work tree/,
  },
  'that builds no pages, with a plugin that cannot be loaded': {
    config: { plugins: ['./missing.js'], site: false },
    code: 1,
    words: /plugin "\.\/missing\.js" cannot be loaded/,
  },
  'whose .env has a comma for a secret': {
    env: 'PRESSMARK_SECRET=,\n',
    code: 2,
    words: /PRESSMARK_SECRET is ",", which holds no secret/,
  },
};

for (const [what, { config = {}, env, ...refusal }] of Object.entries(REFUSED))
  test(`the start of a site ${what} is refused, and doctor says why`, async (t) => {
    const dir = siteWith(t, { ...(env !== undefined && { '.env': env }) }, config);
    await refuses(t, dir, { ...refusal, env: { PRESSMARK_SECRET: env === undefined ? SECRET : '' } });
    if (env !== undefined) t.is(fs.readFileSync(join(dir, '.env'), 'utf8'), env);
  });

test('the start of a site whose content folder is a file is refused, and doctor says why', async (t) => {
  const dir = siteWith(t, { content: '' });
  const env = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL };
  const start = await runHere(['start', '--dir', dir, '--port', '0'], env);
  t.is(start.code, 1);
  t.regex(start.stderr, /content/);
  t.regex((await runHere(['doctor', '--dir', dir], env)).stdout, /✗ directory: .*content is not a folder/);
});

test('a start without a program that takes locks ends with code 1 and one line that names the package', async (t) => {
  const words = /neither flock nor perl was found; install the package util-linux/;
  await refuses(t, siteWith(t, {}), { code: 1, words, env: { PATH: tempDir(t) } });
});
