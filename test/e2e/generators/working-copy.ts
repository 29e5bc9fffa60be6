import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gitIn } from '../../support/clones.js';
import {
  bareEnvironment,
  type Ended,
  launch,
  NODE_OPTIONS_OF_TESTS,
  type Receiver,
} from '../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';

/** The project's folder. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const SITES = join(ROOT, 'test/e2e/generators');
const TOOLS = join(ROOT, 'test/e2e/tools');

/** A site of our own, and the tools that build it. */
export interface SiteSource {
  /** The folder below `test/e2e/generators/` whose folder `site` holds it. */
  readonly folder: string;
  /** The folder below `test/e2e/tools/` with the packages of its package.json; undefined for Hugo and Jekyll. */
  readonly tools?: string;
  /** Whether these packages need Node.js 24, which is then the `node` of the site's commands. */
  readonly isForNode24?: boolean;
  /** The command by which its people build it, such as `hugo --minify`. */
  readonly build: string;
  /** The folder that this command writes. */
  readonly output: string;
}

/** A clone of a site in a folder of its own, as its owner has it before Pressmark. */
export interface WorkingCopy {
  readonly dir: string;
  /** What `npx pressmark` runs. */
  readonly program: string;
  /** The environment in which the site's people work. */
  env(): NodeJS.Dict<string>;
  /** Runs a command of a shell in the site's folder. */
  shell(command: string, env?: NodeJS.Dict<string>): Promise<Ended>;
  /** Runs `npx pressmark …`, with all that it needs in the site's folder. */
  pressmark(...args: readonly string[]): Promise<Ended>;
  /** Starts `npx pressmark start`, with the secret of the site's `.env`; kills the one that it has started before. */
  start(): Promise<Receiver>;
  /** Does what `npm install ./vendor/pressmark-<version>.tgz` does, without a network. */
  install(): void;
  /** The secret that `init` has made. */
  secret(): string;
  path(...names: readonly string[]): string;
  read(name: string): string;
  /** Replaces parts of a file; each must be there. */
  edit(name: string, ...replacements: readonly (readonly [from: RegExp, to: string])[]): void;
  /** Kills the receiver, and removes the folder. */
  remove(): Promise<void>;
}

/** Makes a git repository of a site, with its generator installed, and without Pressmark. */
export function checkOut({ folder, tools, isForNode24 }: SiteSource): WorkingCopy {
  const home = makeTempDir();
  const dir = join(home, 'site');
  fs.cpSync(join(SITES, folder, 'site'), dir, { recursive: true });
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'The site');
  if (tools !== undefined) linkPackages(join(TOOLS, tools, 'node_modules'), join(dir, 'node_modules'));
  if (isForNode24) link(join(TOOLS, 'node24/node_modules/.bin/node'), join(dir, 'node_modules/.bin/node'));

  const path = (...names: readonly string[]) => join(dir, ...names);
  const read = (name: string) => fs.readFileSync(path(name), 'utf8');
  const program = path('node_modules/pressmark/dist/pressmark/bin.cjs');
  const env = (): NodeJS.Dict<string> => ({
    ...bareEnvironment(),
    NODE_OPTIONS: NODE_OPTIONS_OF_TESTS,
    PATH: `${path('node_modules/.bin')}:${process.env.PATH}`,
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'user.name',
    GIT_CONFIG_VALUE_0: 'Olga',
    GIT_CONFIG_KEY_1: 'user.email',
    GIT_CONFIG_VALUE_1: 'olga@example.org',
    ASTRO_TELEMETRY_DISABLED: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    // Next.js would complete a lock file from the registry.
    NEXT_IGNORE_INCORRECT_LOCKFILE: '1',
    NO_UPDATE_NOTIFIER: '1',
    NO_COLOR: '1',
  });
  let receiver: Receiver | undefined;
  const secret = () => /^PRESSMARK_SECRET=(.+)$/m.exec(read('.env'))?.[1] ?? '';
  return {
    dir,
    program,
    env,
    path,
    read,
    secret,
    shell: (command, further = {}) => ended('bash', ['-c', command], dir, { ...env(), ...further }),
    pressmark: (...args) => ended(process.execPath, [program, ...args], dir, env()),
    start: async () => {
      await receiver?.kill('SIGKILL');
      receiver = await launch(dir, {
        program,
        secret: secret(),
        env: { ...env(), PRESSMARK_SECRET: undefined, PRESSMARK_SITE_URL: undefined },
      });
      return receiver;
    },
    edit: (name, ...replacements) => {
      let text = read(name);
      for (const [from, to] of replacements) {
        if (!from.test(text)) throw new Error(`${name} has no ${from}`);
        text = text.replace(from, to);
      }
      fs.writeFileSync(path(name), text);
    },
    install: () => installPressmark(dir),
    remove: async () => {
      await receiver?.kill('SIGKILL');
      removeTempDir(home);
    },
  };
}

/** Runs a program to its end. */
async function ended(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.Dict<string>,
): Promise<Ended> {
  return promisify(execFile)(command, [...args], { cwd, env, maxBuffer: 1e8 }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

/** Links each package of a folder, so that others can be installed next to them. */
function linkPackages(from: string, to: string): void {
  for (const name of fs.readdirSync(from)) {
    if (name.startsWith('@') || name === '.bin') {
      for (const below of fs.readdirSync(join(from, name)))
        link(join(from, name, below), join(to, name, below));
    } else if (!name.startsWith('.')) link(join(from, name), join(to, name));
  }
}

function link(target: string, path: string): void {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.symlinkSync(target, path);
}

/** The package as it would be published, and what npm notes of an installation. */
function installPressmark(dir: string): void {
  const folder = join(dir, 'node_modules/pressmark');
  fs.mkdirSync(folder, { recursive: true });
  // Set by ava.e2e.config.js, as it takes two seconds.
  const archive = process.env.PRESSMARK_TEST_PACKAGE ?? pack(dirname(dir));
  execFileSync('tar', ['-xzf', archive, '--strip-components=1'], { cwd: folder });
  fs.symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const program = join(folder, 'dist/pressmark/bin.cjs');
  fs.chmodSync(program, 0o755);
  link(program, join(dir, 'node_modules/.bin/pressmark'));
  const path = join(dir, 'package.json');
  const manifest = fs.existsSync(path) ? JSON.parse(fs.readFileSync(path, 'utf8')) : {};
  fs.mkdirSync(join(dir, 'vendor'), { recursive: true });
  fs.copyFileSync(archive, join(dir, 'vendor', basename(archive)));
  manifest.dependencies = { ...manifest.dependencies, pressmark: `file:vendor/${basename(archive)}` };
  fs.writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
  if (!fs.existsSync(join(dir, 'package-lock.json')))
    fs.writeFileSync(join(dir, 'package-lock.json'), '{ "lockfileVersion": 3, "packages": {} }\n');
}

function pack(folder: string): string {
  const npm = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  return join(folder, execFileSync('npm', npm, { cwd: ROOT, encoding: 'utf8' }).trim());
}
