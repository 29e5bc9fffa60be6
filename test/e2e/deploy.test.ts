import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { loadSettings } from '../../src/config/load.js';
import { gitIn, makeRemote } from '../support/clones.js';
import { article } from '../support/events.js';
import { freePort } from '../support/free-port.js';
import { bareEnvironment, run, startReceiver } from '../support/receiver.js';
import { removeTempDir, tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { blocksOf } from './web-servers.js';

// The recipes of docs/server.md, container.md and no-disk.md, word for word; only addresses, ports and folders are replaced.

const ofServer = blocksOf('server.md');
const ofContainer = blocksOf('container.md');
const withoutDisk = blocksOf('no-disk.md');
const exec = promisify(execFile);

// What nginx and Caddy serve is in hosting.test.ts; that a release is served as soon as it is deployed, in test/integration/deploy.
test('systemd accepts the unit, and Pressmark the configuration', async (t) => {
  const dir = tempDir(t);
  const program = join(dir, 'node_modules/.bin/pressmark');
  fs.mkdirSync(join(program, '..'), { recursive: true });
  fs.writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const unit = join(dir, 'pressmark@site.service');
  fs.writeFileSync(unit, ofServer('# /etc/systemd/').replaceAll('/srv/%i', dir));
  const { stderr } = await exec('systemd-analyze', ['verify', unit]);
  t.is(stderr, '');
  fs.writeFileSync(join(dir, 'pressmark.config.mjs'), ofServer('// pressmark.config.mjs'));
  t.like(await loadSettings(dir), { liveCheck: true });
});

/** The arguments of the last instruction of the Containerfile with this name, in the form of a list. */
function ofTheContainerfile(instruction: string): string[] {
  const lines = ofContainer('# Containerfile').split('\n');
  const line = lines.findLast((one) => one.startsWith(`${instruction} `)) ?? '';
  return JSON.parse(line.slice(line.indexOf('['))) as string[];
}

test('the container clones the site into an empty volume, and its health check sees it', async (t) => {
  const containerfile = ofContainer('# Containerfile');
  t.regex(containerfile, /^USER node$[\s\S]*^VOLUME \/srv\/data$[\s\S]*^HEALTHCHECK [\s\S]*^CMD /m);
  const folder = tempDir(t);
  const { remote } = makeRemote(folder, undefined, { durability: 'disk', git: false });
  const port = await freePort();
  const [program = '', ...check] = ofTheContainerfile('HEALTHCHECK');
  const isHealthy = () =>
    exec(program, check, { env: { ...bareEnvironment(), PORT: String(port) } }).then(
      () => true,
      () => false,
    );
  t.false(await isHealthy());
  const [command, start, option, dir = '', ...args] = ofTheContainerfile('CMD');
  t.deepEqual([command, start, option], ['pressmark', 'start', '--dir']);
  const receiver = await startReceiver(t, {
    dir: dir.replace('/srv', folder),
    port,
    args: args.map((arg) => arg.replace('https://git.example.com/site.git', remote)),
  });
  t.true(await isHealthy());
  t.is((await receiver.post('article.published', article())).status, 200);
  t.true(fs.existsSync(join(folder, 'data/site/.git')));
});

test('the container gives git the token of its environment, and no message holds it', async (t) => {
  const home = tempDir(t);
  const [, setting = ''] = /^RUN (git config --system .*)$/m.exec(ofContainer('# Containerfile')) ?? [];
  const env = { ...bareEnvironment(), HOME: home };
  execFileSync('sh', ['-c', setting.replace('--system', '--global')], { env });
  const sent: string[] = [];
  const host = http.createServer(({ headers: { authorization = '' } }, response) => {
    sent.push(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString());
    if (authorization === '') response.setHeader('WWW-Authenticate', 'Basic realm="git"');
    response.writeHead(authorization === '' ? 401 : 404).end();
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  t.teardown(() => host.close());
  const remote = `http://127.0.0.1:${(host.address() as AddressInfo).port}/site.git`;
  const { code, stdout, stderr } = await run(['start', '--dir', join(home, 'site'), '--clone', remote], {
    HOME: home,
    REMOTE_TOKEN: 'token-of-the-host',
  });
  t.is(code, 1);
  t.true(sent.includes('x-access-token:token-of-the-host'), sent.join());
  t.regex(stderr, /could not be cloned: /);
  t.false(`${stdout}${stderr}`.includes('token-of-the-host'));
});

test('a platform with an ephemeral disk: an article that was answered is there after the disk is gone', async (t) => {
  const folder = tempDir(t);
  const clones = makeRemote(folder);
  const owner = clones.clone('owner');
  fs.rmSync(join(owner, 'pressmark.config.json'));
  const config = withoutDisk('// pressmark.config.mjs');
  fs.writeFileSync(join(owner, 'pressmark.config.mjs'), config);
  gitIn(owner, 'add', '.');
  gitIn(owner, 'commit', '--quiet', '-m', 'Settings');
  gitIn(owner, 'push', '--quiet');

  const words = withoutDisk('npx pressmark start --dir').trim().split(' ');
  t.deepEqual(words.slice(0, 4), ['npx', 'pressmark', 'start', '--dir']);
  const dir = (words[4] ?? '').replace('/tmp', join(folder, 'tmp'));
  const args = words.slice(5).map((word) => word.replace('https://git.example.com/site.git', clones.remote));
  const start = () =>
    startReceiver(t, {
      ...{ dir, args, resend: true, health: 'any' }, // git may take too long for the first answers
      env: { HOME: folder, PRESSMARK_SITE_URL: 'http://127.0.0.1:1' },
    });
  /** What a receiver has deployed, but for the search: it follows the pages, in a commit of its own. */
  const deployedBy = async ({ log }: Awaited<ReturnType<typeof start>>) => {
    await until('the site is deployed', () => log.some(({ msg }) => msg === 'site deployed'));
    const files = clones.git('ls-tree', '-r', 'gh-pages').split('\n');
    return files.filter((line) => !line.includes('\tpagefind/'));
  };

  const first = await start();
  const { status, json } = await first.post('article.published', article({ id: 'hive', slug: 'hive' }));
  t.is(status, 200);
  await first.kill('SIGKILL');
  // What the receiver had started may still write, and bring a part of its state folder back.
  removeTempDir(dir);
  fs.mkdirSync(join(dir, '.pressmark/search'), { recursive: true });

  const second = await start();
  t.is((await second.find(json.url)).id, 'hive');
  const deployed = await deployedBy(second);
  t.regex(deployed.join('\n'), /\tarticles\/hive\/index\.html$/m);
  await second.kill('SIGKILL');
  removeTempDir(dir);

  t.deepEqual(await deployedBy(await start()), deployed);
});
