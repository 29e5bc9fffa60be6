import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { gitIn } from '../support/clones.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { blocksOf } from './web-servers.js';

// The way of the README into a site's repository, and each recipe of docs/ through its
// install step, on a clone, word for word. npm installs from its registry.

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const home = makeTempDir();
const site = join(home, 'site');
const image = join(home, 'image');
const server = blocksOf('server.md');
const container = blocksOf('container.md');
const withoutDisk = blocksOf('no-disk.md');
const hosting = blocksOf('hosting.md');

/** A command that takes longer fails by name. AVA cannot end a process that waits for another one as these tests do. */
const LONGEST_MS = 600_000;

/** The environment of a shell on another machine: npm knows its registry. */
function environment(further: NodeJS.Dict<string> = {}): NodeJS.Dict<string> {
  const npm = ['npm_config_registry', 'npm_config_userconfig', 'npm_config_cafile', 'NODE_EXTRA_CA_CERTS'];
  const kept = ['PATH', 'HOME', 'TMPDIR', ...npm].map((name) => [name, process.env[name]] as const);
  // A program that is not installed is never fetched from the registry, what the registry does not send is asked for again, and
  // a lock file has the addresses of packages, whatever this machine's own npm leaves out.
  return {
    ...Object.fromEntries(kept),
    npm_config_yes: 'false',
    npm_config_fetch_timeout: '30000',
    npm_config_omit_lockfile_registry_resolved: 'false',
    ...further,
  };
}

function shell(command: string, cwd: string, env = environment()): string {
  return execFileSync('bash', ['-ec', command], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
  });
}

/** The commands of the shell blocks of the README's first step. */
function installCommands(): string[] {
  const readme = fs.readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, part = ''] = readme.split(/^1\. Install Pressmark\./m);
  const [step = ''] = part.split(/^2\. /m);
  return [...step.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block.replace(/^ +/gm, ''));
}

test.serial.before('a site that has Pressmark as the README says, and no checkout beside it', (t) => {
  const [make, ...commands] = installCommands();
  // The checkout of these tests has had its `npm ci`, and ava.e2e.config.js has made its package.
  t.is(
    make,
    `git clone <address of this repository> ../pressmark\n(cd ../pressmark && npm ci && npm run package)\n`,
  );
  fs.mkdirSync(join(home, 'pressmark'));
  const { PRESSMARK_TEST_PACKAGE: archive = '' } = process.env;
  fs.copyFileSync(archive, join(home, 'pressmark', basename(archive)));
  fs.mkdirSync(site);
  gitIn(site, 'init', '--quiet', '--initial-branch=main');
  fs.writeFileSync(join(site, '.gitignore'), 'node_modules/\n');
  for (const command of commands) shell(command, site);
  shell('npx pressmark init --site-url https://example.com', site);
  gitIn(site, 'add', '.');
  gitIn(site, 'commit', '--quiet', '-m', 'The site');
  fs.rmSync(join(home, 'pressmark'), { recursive: true });
});
test.after.always(() => removeTempDir(home));

/** A clone on another machine. */
function cloneOf(name: string): string {
  gitIn(home, 'clone', '--quiet', site, name);
  return join(home, name);
}

/** Whether Pressmark is there, as a folder and not as a link, and runs. */
function checkInstalled(t: ExecutionContext, dir: string): void {
  t.true(fs.lstatSync(join(dir, 'node_modules/pressmark')).isDirectory());
  t.regex(shell('npx pressmark --version', dir), /^\d+\.\d+\.\d+\n$/);
  t.true(fs.existsSync(join(dir, 'node_modules/pressmark/examples/magazine-theme/package.json')));
}

test.serial('the steps of the Containerfile', (t) => {
  const containerfile = container('# Containerfile');
  const clone = cloneOf('container-context');
  fs.mkdirSync(image);
  for (const [, from = '', to = ''] of containerfile.matchAll(/^COPY (.+) (\S+)$/gm))
    shell(`cp -r ${from} '${join(image, to)}'`, clone);
  const [, install = ''] = /^RUN (npm ci)\b/m.exec(containerfile) ?? [];
  shell(install, image);
  checkInstalled(t, image);
  const [, path = ''] = /^ENV PATH=(\S+)$/m.exec(containerfile) ?? [];
  t.is(path, '/srv/node_modules/.bin:$PATH');
  const PATH = `${image}/node_modules/.bin:${process.env.PATH}`;
  t.regex(shell('pressmark --version', home, environment({ PATH })), /^\d/);
});

test.serial('a server with systemd', (t) => {
  const [, commands = ''] = server('sudo adduser').split('cd /srv/site\n');
  const [install, init = ''] = commands.replaceAll('sudo -u site ', '').trim().split('\n');
  t.is(install, 'npm ci');
  const dir = cloneOf('server');
  // What `npm ci` has installed in the image, from the same files.
  shell(`cp -a '${image}/node_modules' .`, dir);
  t.is(init, 'npx pressmark init --yes');
  shell(init, dir);
  checkInstalled(t, dir);
  const [, program = ''] = /^ExecStart=\/srv\/%i\/(\S+) /m.exec(server('# /etc/systemd/')) ?? [];
  t.regex(shell(`${program} --version`, dir), /^\d/);
});

test.serial(
  'hosts that run npm ci and then a command: GitHub Pages, Cloudflare Pages, Netlify, an ephemeral disk',
  (t) => {
    const page = fs.readFileSync(join(ROOT, 'docs/hosting.md'), 'utf8');
    const github = [...hosting('# .github/workflows/pages.yml').matchAll(/^ +- run: (.+)$/gm)];
    const [, cloudflare = ''] = /^\| Build command \| `(.+)` \|$/m.exec(page) ?? [];
    const [, netlify = ''] = /^ {2}command = "(.+)"$/m.exec(hosting('# netlify.toml')) ?? [];
    const [start = ''] = withoutDisk('npx pressmark start --dir').trim().split(' --dir');
    t.deepEqual(
      [...github.map(([, line]) => line), cloudflare, netlify],
      ['npm ci', 'npx pressmark build', 'npx pressmark build', 'npx pressmark build'],
    );
    // A clone with what `npm ci` installs, as on the server.
    const dir = join(home, 'server');
    shell('npx pressmark build', dir);
    t.true(fs.existsSync(join(dir, 'public/index.html')));
    t.regex(shell(`${start} --help`, dir), /--clone/);
  },
);
