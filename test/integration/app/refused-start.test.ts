import { once } from 'node:events';
import fs from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { run, SITE_URL } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';

// Which settings are refused is tested in test/unit/config.

interface Refusal {
  readonly code: number;
  readonly words: RegExp;
  readonly port?: number | string;
  readonly env?: NodeJS.Dict<string>;
}

async function refuses(
  t: ExecutionContext,
  dir: string,
  { code, words, port = 0, env = {} }: Refusal,
): Promise<void> {
  const ended = await run(['start', '--dir', dir, '--port', String(port)], {
    PRESSMARK_SECRET: SECRET,
    PRESSMARK_SITE_URL: SITE_URL,
    ...env,
  });
  t.is(ended.code, code, ended.stderr);
  t.is(ended.stderr.trimEnd().split('\n').length, 1, ended.stderr);
  t.regex(ended.stderr, words);
  t.notRegex(ended.stderr, /\n\s+at /, 'no stack');
  t.false((ended.stdout + ended.stderr).includes(SECRET));
}

test('a start on a port that is in use ends with code 1 and one line that says so', async (t) => {
  const server = net.createServer().listen(0);
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await refuses(t, tempDir(t), { code: 1, words: new RegExp(`port ${port} is in use`), port });
});

test('a start without a program that takes locks ends with code 1 and one line that names the package', async (t) => {
  const words = /neither flock nor perl was found; install the package util-linux/;
  await refuses(t, tempDir(t), { code: 1, words, env: { PATH: tempDir(t) } });
});

test('a start with a wrong config ends with code 2 and one line that names the setting', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ sitUrl: 'https://x.example' }));
  await refuses(t, dir, { code: 2, words: /no setting "sitUrl"; did you mean siteUrl\?/ });
});

test('a start whose articles would be where files are no articles ends with code 2 and one line that says so', async (t) => {
  const dir = tempDir(t);
  const articles = { file: 'tags/:slug.md' };
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ articles }));
  await refuses(t, dir, {
    code: 2,
    words: /articles\.file "tags\/:slug\.md" is in pages\/, tags\/ or authors\//,
  });
});
