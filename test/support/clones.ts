import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { launch, type Receiver, type ReceiverOptions } from './receiver.js';

/** A bare remote and its clones, in which receivers run, in one folder. */
export interface Clones {
  /** The bare repository. */
  readonly remote: string;
  /** Makes a clone. @returns its path. */
  clone(name: string): string;
  /** Runs git in the remote. */
  git(...args: string[]): string;
  /** The texts of the articles on the remote's branch `main`, by path. */
  articles(): Map<string, string>;
}

/** An environment in which git does not read any settings of the machine or the user. */
export function gitEnvironment(home: string): NodeJS.Dict<string> {
  const { PATH } = process.env;
  return { PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
}

/** The last commit of a branch, read without git, for a test that asks again and again. @param gitDir where it is a loose ref */
export function tipOf(gitDir: string, branch = 'main'): string {
  return fs.readFileSync(join(gitDir, 'refs', 'heads', branch), 'utf8').trim();
}

/** The settings of a person with the name Olga. Git's housekeeping would start two more programs after each commit and push. */
const OLGA = ['user.name=Olga', 'user.email=olga@example.org', 'maintenance.auto=false'].flatMap(
  (setting) => ['-c', setting],
);

/** Runs git as Olga. */
export function gitIn(folder: string, ...args: string[]): string {
  return runIn(folder, 'git', [...OLGA, ...args]);
}

/**
 * Runs several commands of hers, of which each must succeed, as one shell: a large process, as that of a test is, takes longer
 * to start a program than git does to run.
 */
function gitsIn(folder: string, script: string, ...args: string[]): string {
  return runIn(folder, 'sh', [
    '-ec',
    `git() { command git ${OLGA.join(' ')} "$@"; }\n${script}`,
    'sh',
    ...args,
  ]);
}

function runIn(folder: string, program: string, args: string[]): string {
  return execFileSync(program, args, {
    cwd: folder,
    env: gitEnvironment(folder),
    encoding: 'utf8',
    maxBuffer: 1e9,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Makes a repository whose first commit contains the site's config file. @returns its folder. */
export function makeRepository(dir: string, config: Record<string, unknown>, ignored = ''): string {
  fs.mkdirSync(dir, { recursive: true });
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(config));
  fs.writeFileSync(join(dir, '.gitignore'), `.pressmark/\npublic/\n.gitconfig\n${ignored}`);
  gitsIn(dir, 'git init --quiet --initial-branch=main\ngit add .\ngit commit --quiet -m First');
  return dir;
}

/** The ids of the articles in a branch's commits, newest first, each as often as it has one. */
export function committedIds(dir: string, branch = 'main'): string[] {
  const format = '%(trailers:key=Article-Id,valueonly,separator=%x2C)';
  return gitIn(dir, 'log', `--format=${format}`, branch).split('\n').filter(Boolean);
}

/**
 * Makes a bare remote with one commit.
 *
 * @param folder the folder for the remote and the clones.
 * @param url the URL of the remote in the clones. @default its path
 * @param config overrides the site's settings.
 */
export function makeRemote(folder: string, url?: string, config: Record<string, unknown> = {}): Clones {
  const remote = join(folder, 'remote.git');
  makeRepository(join(folder, 'first'), settings(config));
  gitsIn(
    folder,
    `git init --quiet --bare --initial-branch=main remote.git
git -C remote.git config receive.autogc false
git -C first push --quiet ../remote.git main`,
  );
  return {
    remote,
    clone: (name) => {
      const clone = join(folder, name);
      gitIn(folder, 'clone', '--quiet', url ?? remote, clone);
      return clone;
    },
    git: (...args) => gitIn(remote, ...args),
    articles: () => articlesIn(remote),
  };
}

/**
 * The texts of the articles on a repository's branch `main`, by path. Runs two commands for any number of them: they block the
 * test's process, whose connections may time out meanwhile.
 */
export function articlesIn(remote: string): Map<string, string> {
  const names = gitIn(remote, 'ls-tree', '-r', '-z', '--name-only', 'main', 'content/')
    .split('\0')
    .slice(0, -1);
  const output = execFileSync('git', ['cat-file', '--batch'], {
    cwd: remote,
    env: gitEnvironment(remote),
    input: names.map((name) => `main:${name}\n`).join(''),
    maxBuffer: 1e9,
  });
  const texts = new Map<string, string>();
  let at = 0;
  for (const name of names) {
    const end = output.indexOf('\n', at);
    const size = Number(output.toString('latin1', at, end).split(' ')[2]);
    at = end + 1 + size + 1;
    texts.set(name, output.toString('utf8', end + 1, end + 1 + size));
  }
  return texts;
}

/** The settings of a site with several machines. */
export function settings(over: Record<string, unknown> = {}): Record<string, unknown> {
  return { site: false, durability: 'push', git: { push: { fetchEvery: 1_500 } }, ...over };
}

/** The options of a receiver in a clone, whose git reads no settings of the machine or the user. */
export function inClone<T extends { readonly env?: NodeJS.Dict<string> }>(dir: string, options = {} as T) {
  return { ...options, dir, env: { HOME: dir, GIT_CONFIG_NOSYSTEM: '1', ...options.env } };
}

/** Starts a receiver in a clone. */
export function launchIn(clone: string, options: ReceiverOptions = {}): Promise<Receiver> {
  return launch(clone, inClone(clone, options));
}

/** Commits one file as a person would. @param then more for their shell to do. @returns the commit, or what it is after that. */
export function commitFile(folder: string, name: string, text: string, then = ''): string {
  fs.mkdirSync(dirname(join(folder, name)), { recursive: true });
  fs.writeFileSync(join(folder, name), text);
  const commit = 'git add -- "$1"\ngit commit --quiet -m "Write $1"';
  return gitsIn(folder, `${commit}\n${then}\ngit rev-parse HEAD`, name).trim();
}

/** Commits and pushes one file, and pulls again whenever others have pushed meanwhile. @returns the commit. */
export function commitAndPush(folder: string, name: string, text: string): string {
  const again = 'do n=$((n + 1)); [ $n -lt 20 ]; done';
  return commitFile(folder, name, text, `until git pull --quiet --rebase && git push --quiet; ${again}`);
}
