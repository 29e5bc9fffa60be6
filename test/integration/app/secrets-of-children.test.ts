import fs from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { gitIn, makeRemote } from '../../support/clones.js';
import { article, update } from '../../support/events.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { TOY_CONFIG, writeToySite } from '../deploy/toy-generator.js';

/** A program that was started, by Pressmark or by a program of its own. */
interface Started {
  readonly program: string;
  readonly env: readonly string[];
}

/** Notes every program that a Node.js process starts with the environment that it gets. */
const NOTE = (file: string) => `
import fs from 'node:fs';
import children from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
const note = (args, env) => fs.appendFileSync(${JSON.stringify(file)}, JSON.stringify({ program: args.join(' '), env }) + '\\n');
const { spawn } = children.ChildProcess.prototype;
children.ChildProcess.prototype.spawn = function (options) {
  note([options.file, ...options.args], options.envPairs);
  return spawn.call(this, options);
};
const { spawnSync } = children;
children.spawnSync = (file, args, options) => {
  note([file, ...args], Object.entries(options?.env ?? process.env).map(([name, value]) => name + '=' + value));
  return spawnSync(file, args, options);
};
syncBuiltinESMExports();
`;

const SECRETS: Record<string, string> = {
  PRESSMARK_SECRET: `${SECRET},an-older-signing-secret`,
  PRESSMARK_DEPLOY_HOOK: 'http://127.0.0.1:9/the-hook-of-the-host',
  PRESSMARK_DEPLOY_TOKEN: 'the-deploy-token',
  PRESSMARK_STATUS_TOKEN: 'the-status-token',
};

const isSecret = (line: string) =>
  [...Object.values(SECRETS), SECRET].some((secret) => line.includes(secret));

/** A receiver with all secrets in its environment whose children, and theirs, are noted. */
async function noted(t: ExecutionContext, dir: string) {
  const folder = tempDir(t);
  const file = join(folder, 'started.jsonl');
  fs.writeFileSync(file, '');
  const preload = join(folder, 'note.mjs');
  fs.writeFileSync(preload, NOTE(file));
  const receiver = await startReceiver(t, {
    dir,
    env: {
      ...SECRETS,
      HOME: dir,
      PRESSMARK_SITE_URL: '',
      NODE_OPTIONS: `--import=${pathToFileURL(preload)}`,
    },
  });
  const lines = () => fs.readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const started = () => lines().map((line): Started => JSON.parse(line));
  const startedWith = (words: string) => started().some(({ program }) => program.includes(words));
  return { receiver, started, startedWith };
}

async function publishAndUpdate(receiver: Receiver): Promise<void> {
  const data = article({ id: 'one', slug: 'one' });
  const { url } = (await receiver.post('article.published', data)).json;
  const { revision_id: base_revision_id } = await receiver.find(url);
  await receiver.post('article.updated', update({ target_id: 'one', target_url: url, base_revision_id }));
}

/** A shell command that writes down its environment, and what it has written: nothing before it is whole. */
function writtenEnv(file: string): { readonly command: string; env(): string } {
  const written = () => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '');
  return {
    command: `env >> '${file}'; echo whole >> '${file}'`,
    env: () => (written().includes('\nwhole\n') ? written() : ''),
  };
}

/** A program that a person has told git to run, which writes down its environment. */
function planted(folder: string, name: string, program: string): { readonly path: string; env(): string } {
  const path = join(folder, name);
  const { command, env } = writtenEnv(`${path}.env`);
  fs.writeFileSync(path, `#!/bin/sh\n${command}\nexec ${program} "$@"\n`, { mode: 0o755 });
  return { path, env };
}

test('git and its helpers, the process that builds, the build command, deploy commands and lock helpers see none of Pressmark’s secrets', async (t) => {
  const folder = tempDir(t);
  const remote = makeRemote(folder);
  const site = remote.clone('site');
  fs.rmSync(join(site, 'pressmark.config.json'));
  const deployed = writtenEnv(join(folder, 'deploy.env'));
  const deploy = `build: 'node toy.mjs', git: { push: { debounce: 0 } },
    deploy: [{ command: ${JSON.stringify(deployed.command)} }, { branch: 'gh-pages' }],`;
  writeToySite(site, {
    'pressmark.config.mjs': TOY_CONFIG.replace("build: 'node toy.mjs',", deploy),
    '.gitattributes': '*.md filter=planted\n',
  });
  const receivePack = planted(folder, 'receive-pack', 'git-receive-pack');
  const clean = planted(folder, 'clean', 'cat');
  gitIn(site, 'config', 'remote.origin.receivepack', receivePack.path);
  gitIn(site, 'config', 'filter.planted.clean', clean.path);
  const { receiver, started, startedWith } = await noted(t, site);
  await publishAndUpdate(receiver);
  await until('git, the build and the deploys have run', () =>
    [
      receivePack.env() !== '',
      clean.env() !== '',
      deployed.env() !== '',
      remote.git('branch', '--list', 'gh-pages') !== '',
    ].every(Boolean),
  );
  for (const program of ['git ', 'sh -c', 'flock ', 'toy.mjs', 'build-process.js'])
    t.true(startedWith(program), program);
  for (const { program, env } of started()) t.deepEqual(env.filter(isSecret), [], program);
  for (const text of [receivePack.env(), clean.env(), deployed.env()]) {
    t.true(text.includes('PATH='));
    t.deepEqual(text.split('\n').filter(isSecret), []);
  }
});
