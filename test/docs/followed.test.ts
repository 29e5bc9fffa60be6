import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { gitEnvironment, gitIn } from '../support/clones.js';
import { articleFiles, readStored } from '../support/content.js';
import { article } from '../support/events.js';
import { freePort } from '../support/free-port.js';
import { runHere } from '../support/in-process.js';
import { bareEnvironment, launch, PROGRAM } from '../support/receiver.js';
import { startHere } from '../support/receiver-here.js';
import { SECRET } from '../support/signer.js';
import { tempDir, writeFiles } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { withPackages } from '../support/with-plugins.js';

// The pages that lead through commands, each followed word for word. Pressmark's own commands run in this process.

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string) => fs.readFileSync(join(ROOT, path), 'utf8');

const PERSON = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

/** A receiver takes the secret and the address from the folder that it is in. */
const OF_THE_FOLDER = { PRESSMARK_SECRET: undefined, PRESSMARK_SITE_URL: undefined };

/** A config without the index of the search, which takes a second of processor time. */
const withoutSearch = (config: string) => config.replace(/ site: \{\s/, ' site: { search: false, ');

/** The blocks of a page in one of these languages, in order. */
const blocksOf = (page: string, languages = 'sh') =>
  [...page.matchAll(new RegExp(`^ *\`\`\`(${languages})\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm'))].map(
    ([, language, text = '']) => ({ language, text }),
  );
const linesOf = (page: string) =>
  blocksOf(page).flatMap(({ text }) =>
    text
      .trim()
      .split('\n')
      .map((line) => line.trim()),
  );

/** Runs a script as the shell of a person does. Not synchronous: receivers are in this process. */
async function shell(script: string, cwd: string, env: NodeJS.Dict<string> = {}): Promise<string> {
  const command = script.replace('npx pressmark', `'${process.execPath}' '${PROGRAM}'`);
  const options = { cwd, env: { ...bareEnvironment(), ...gitEnvironment(cwd), ...PERSON, ...env } };
  return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', command], options)).stdout;
}

/** Runs a line of a page in a folder. @returns what it prints. */
async function follow(line: string, dir: string): Promise<string> {
  const [, words] = /^npx pressmark ([^<>|&"']+)$/.exec(line) ?? [];
  if (words === undefined) return shell(line, dir);
  const inFolder = words.split(' ').map((word) => (/^posts\b/.test(word) ? join(dir, word) : word));
  const { code, stdout, stderr } = await runHere([...inFolder, '--dir', dir], gitEnvironment(dir));
  if (code !== 0) throw new Error(`${line} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}

test('the five minutes of the README, in a repository: each command does what it says', async (t) => {
  const [, rest = ''] = read('README.md').split(/^## Set it up in five minutes$/m);
  const [part = ''] = rest.split(/^## /m);
  const commands = linesOf(part).filter((line) => line.startsWith('npx pressmark '));
  t.deepEqual(
    commands.map((line) => line.split(' ')[2]),
    ['init', 'start', 'doctor', 'send', 'send'],
  );
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet');
  const port = await freePort();
  for (const line of commands) {
    if (line.startsWith('npx pressmark start')) {
      const config = join(dir, 'pressmark.config.mjs');
      fs.writeFileSync(config, withoutSearch(fs.readFileSync(config, 'utf8')));
      const receiver = await launch(dir, { port, args: line.split(' ').slice(3), env: OF_THE_FOLDER });
      t.teardown(() => receiver.kill('SIGKILL'));
    } else {
      const said = await follow(line, dir);
      if (line.includes(' send ')) t.regex(said, /^200 /m);
    }
  }
  t.is(articleFiles(dir).length, 1);
  t.regex(articleFiles(dir)[0] ?? '', /content\/articles\/\d{4}\/\d\d\/[^/]+\.md$/);
  await until('the article is committed', () =>
    gitIn(dir, 'log', '--branches', '--format=%s').includes('Publish: '),
  );
  const home = async () => (await fetch(`http://127.0.0.1:${port}/`)).text();
  await until('the home page has a link to the article', async () => (await home()).includes('/articles/'));
  t.notRegex(part, /example\.com/, 'no article gets an address that nobody has');
});

test('the tutorial, in a folder with Pressmark in it: each command does what it says', async (t) => {
  const page = read('docs/tutorial.md');
  const [, config = ''] = /^```js\n(\/\/ pressmark\.config\.mjs\n[\s\S]*?)^```$/m.exec(page) ?? [];
  const root = tempDir(t);
  const remote = join(root, 'remote.git');
  const site = join(root, 'garden');
  await shell(`git init --quiet --bare --initial-branch=main '${remote}'`, root);
  for (const line of linesOf(page)) {
    if (line === 'npx pressmark start') {
      fs.writeFileSync(join(site, 'pressmark.config.mjs'), withoutSearch(config));
      // Not in this process, which has loaded the config before that.
      const receiver = await launch(site, { port: await freePort(), env: OF_THE_FOLDER });
      t.teardown(() => receiver.kill('SIGKILL'));
    } else
      await follow(
        line.replace('git@github.com:you/you.github.io.git', remote),
        line.startsWith('mkdir garden') ? root : site,
      );
  }
  t.is(articleFiles(site).length, 1);
  const published = () => shell('git ls-tree -r --name-only gh-pages 2>/dev/null || true', remote);
  await until('the article is on the branch of the host', async () =>
    /^articles\/[^/]+\/index\.html$/m.test(await published()),
  );
  t.regex(await published(), /^\.nojekyll$/m);
  await until('the article is committed', async () =>
    gitIn(site, 'log', '--format=%s').includes('Publish: '),
  );
});

test('every command of docs/sender.md does what the page says', async (t) => {
  const page = read('docs/sender.md');
  const receiver = await startHere(t, {
    storeOnly: true,
    env: { PRESSMARK_SITE_URL: 'https://example.com' },
  });
  const [{ text: example = '' } = {}] = blocksOf(page, 'markdown');
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'posts'));
  fs.writeFileSync(join(dir, 'posts/bees.md'), example.replace('slug: keeping-bees\n', ''));
  fs.writeFileSync(join(dir, 'posts/wind.md'), '---\ntitle: Wind\n---\nText.\n');
  fs.writeFileSync(join(dir, 'secret.txt'), `${SECRET}\n`);
  t.true(linesOf(page).length >= 8);
  for (const line of linesOf(page))
    await follow(line.replace('https://example.com/webhook', `${receiver.origin}/webhook`), dir);
  const stored = articleFiles(receiver.dir).map((path) => readStored(path).article);
  t.deepEqual(stored.map(({ title }) => title).sort(), ['Keeping bees on a balcony', 'Wind']);
  const bees = stored.find(({ title }) => title.startsWith('Keeping'));
  t.truthy(bees?.updated, 'the refresh has replaced it');
  t.regex(bees?.jsonLd ?? '', /"FAQPage".*"Do bees sting\?"/);
});

test('the commands of docs/scale-out.md make a remote and machines that store on it', async (t) => {
  const root = tempDir(t);
  const [remote = '', site = '', machine = ''] = blocksOf(read('docs/scale-out.md')).map(({ text }) =>
    text.replaceAll('/srv/git', join(root, 'srv')),
  );
  const folder = (name: string) => {
    fs.mkdirSync(join(root, name));
    return join(root, name);
  };
  await shell(remote, folder('host'));
  await shell(`git init --quiet --initial-branch=main\n${site}`, folder('first'));
  const machines = ['a', 'b'].map((name) => join(folder(name), 'site'));
  for (const clone of machines) {
    await shell(machine.replace(/^npx .*\n/gm, ''), join(clone, '..'));
  }
  const env = { ...gitEnvironment(root), PRESSMARK_SECRET: SECRET };
  const { stdout } = await runHere(['doctor', '--dir', machines[0] ?? ''], env);
  t.regex(stdout, /the git remote origin answers/);
  const [a, b] = await Promise.all(
    machines.map((dir) => startHere(t, { dir, env: gitEnvironment(root), resend: true })),
  );
  const data = article();
  const stored = await a?.post('article.published', data);
  t.is(stored?.status, 200);
  t.is((await b?.find(stored?.json.url ?? ''))?.id, data.id);
});

/** Runs a test of a plugin as `node --test` does, but in this process, and in a copy, as modules that were loaded are kept. */
async function nodeTest(dir: string, path: string, copy: string): Promise<void> {
  fs.cpSync(join(dir, 'plugins'), join(dir, copy, 'plugins'), { recursive: true });
  const collected = 'export const tests = []; const test = (name, run) => tests.push(run);';
  const code = fs.readFileSync(join(dir, path), 'utf8');
  writeFiles(join(dir, copy), { [path]: code.replace("import { test } from 'node:test';", collected) });
  const { tests }: { tests: (() => Promise<void>)[] } = await import(
    pathToFileURL(join(dir, copy, path)).href
  );
  if (tests.length !== 1) throw new Error(`${path} has ${tests.length} tests`);
  for (const run of tests) await run();
}

test('the tutorial for plugins, in a fresh folder: its plugin and its tests do what it says', async (t) => {
  const dir = tempDir(t);
  withPackages(dir);
  fs.writeFileSync(join(dir, 'package.json'), JSON.stringify({ private: true }));
  let listed = '';
  let tested = 0;
  for (const { language, text } of blocksOf(read('docs/plugin-tutorial.md'), 'sh|js')) {
    const [, path = ''] = /^\/\/ (\S+)\n/.exec(text) ?? [];
    const [, test] = /^node --test (\S+)\n$/.exec(text) ?? [];
    if (language === 'js') {
      t.true(fs.existsSync(join(dir, path)), `${path} was there before it was replaced`);
      fs.writeFileSync(join(dir, path), text);
    } else if (test !== undefined) await nodeTest(dir, test, `run-${++tested}`);
    else listed = await follow(text.trim(), dir);
  }
  t.is(tested, 2);
  for (const part of [
    'corrections 0.1.0',
    'corrections.count on article.updated',
    'GET /-/corrections/counts',
    'corrections.txt',
  ])
    t.true(listed.includes(part), part);
  t.deepEqual(fs.readdirSync(join(dir, 'plugins')), ['corrections.mjs']);
});
