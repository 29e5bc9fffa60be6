import { once } from 'node:events';
import fs from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { run, SITE_URL } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';

const ENV = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL };

async function refuses(
  t: ExecutionContext,
  code: number,
  words: RegExp,
  dir: string,
  more: string[] = [],
  env = {},
) {
  const ended = await run(['start', '--dir', dir, ...(more.length > 0 ? more : ['--port', '0'])], {
    ...ENV,
    ...env,
  });
  t.is(ended.code, code, ended.stderr);
  const lines = ended.stderr.trimEnd().split('\n');
  t.is(lines.length, 1, ended.stderr);
  t.regex(ended.stderr, words);
  t.notRegex(ended.stderr, /\n\s+at /, 'no stack');
  t.false((ended.stdout + ended.stderr).includes(SECRET));
}

test('a port that is in use', async (t) => {
  const server = net.createServer().listen(0);
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await refuses(t, 1, new RegExp(`port ${port} is in use`), tempDir(t), ['--port', String(port)]);
});

test('a port that is none', async (t) => {
  for (const port of ['eighty', '-1', '65536', '1.5', '']) {
    const ended = await run(['start', '--dir', tempDir(t), '--port', port], ENV);
    t.is(ended.code, 2, ended.stderr);
    t.regex(ended.stderr, /port/);
    t.notRegex(ended.stderr, /\n\s+at /);
  }
});

test('a folder that is none', async (t) => {
  await refuses(t, 2, /is no folder/, join(tempDir(t), 'nowhere'));
});

test('a machine without a program that takes locks', async (t) => {
  const words = /neither flock nor perl was found; install the package util-linux/;
  await refuses(t, 1, words, tempDir(t), [], { PATH: tempDir(t) });
});

test('a config that cannot be read', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{ "siteUrl": ');
  await refuses(t, 2, /pressmark\.config\.json cannot be read/, dir);
});

test('a config that throws, and one that exports nothing', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.config.mjs'), 'export default nothing.here;');
  await refuses(t, 2, /pressmark\.config\.mjs cannot be read: nothing is not defined/, dir);
  fs.writeFileSync(join(dir, 'pressmark.config.mjs'), 'export const config = {};');
  await refuses(t, 2, /must export its settings/, dir);
});

test('an unknown setting names the nearest known one', async (t) => {
  const dir = tempDir(t);
  const config = join(dir, 'pressmark.config.json');
  fs.writeFileSync(config, JSON.stringify({ sitUrl: 'https://x.example' }));
  await refuses(t, 2, /no setting "sitUrl"; did you mean siteUrl\?/, dir);
  fs.writeFileSync(config, JSON.stringify({ articles: { permlink: '/:slug/' } }));
  await refuses(t, 2, /no setting "articles.permlink"; did you mean permalink\?/, dir);
});

test('a site URL that is none', async (t) => {
  for (const url of [
    'garden.example',
    'ftp://garden.example',
    'https://u:p@garden.example',
    'https://garden.example/?x=1',
    'https://garden.example?',
    'https://garden.example ',
    'https://garden.example/my site',
  ])
    await refuses(t, 2, /siteUrl must be an absolute http\(s\) URL/, tempDir(t), [], {
      PRESSMARK_SITE_URL: url,
    });
});

test('patterns that give all articles one name, or one that is not found again', async (t) => {
  const dir = tempDir(t);
  const config = join(dir, 'pressmark.config.json');
  for (const articles of [
    { file: ':slugs.md' },
    { file: '.drafts/:slug.md' },
    { file: 'node_modules/:slug.md' },
    { permalink: '/:slugs/' },
    { permalink: '/#/:slug' },
    { permalink: '/my articles/:slug/' },
  ]) {
    fs.writeFileSync(config, JSON.stringify({ articles }));
    await refuses(t, 2, /articles\.(file|permalink) must/, dir);
  }
});

test('paths that lead out of the site', async (t) => {
  const dir = tempDir(t);
  const config = join(dir, 'pressmark.config.json');
  for (const articles of [
    { file: '../:slug.md' },
    { file: '/tmp/:slug.md' },
    { file: 'posts/index.md' },
    { permalink: ':slug' },
  ]) {
    fs.writeFileSync(config, JSON.stringify({ articles }));
    await refuses(t, 2, /articles\.(file|permalink) must/, dir);
  }
});
