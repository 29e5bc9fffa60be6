import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { gitIn } from '../support/clones.js';
import { articleFiles } from '../support/content.js';
import { freePort } from '../support/free-port.js';
import { bareEnvironment, launch, PROGRAM } from '../support/receiver.js';
import { tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';

const run = promisify(execFile);
const README = fileURLToPath(new URL('../../../README.md', import.meta.url));

test('the five minutes of the README, in a repository: each command does what it says', async (t) => {
  const [, part = ''] = fs.readFileSync(README, 'utf8').split(/^## Set it up in five minutes$/m);
  const commands = [...(part.split(/^## /m)[0]?.matchAll(/^ *npx pressmark (.+)$/gm) ?? [])].map(
    ([, words]) => words?.split(' ') ?? [],
  );
  t.deepEqual(
    commands.map(([name]) => name),
    ['init', 'start', 'doctor', 'send', 'send'],
  );
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet');
  const port = await freePort();
  for (const words of commands) {
    if (words[0] === 'start') {
      const receiver = await launch(dir, {
        port,
        args: words.slice(1),
        env: { PRESSMARK_SECRET: undefined, PRESSMARK_SITE_URL: undefined },
      });
      t.teardown(() => receiver.kill('SIGKILL'));
      continue;
    }
    const { stdout } = await run(process.execPath, [PROGRAM, ...words], {
      cwd: dir,
      env: bareEnvironment(),
    });
    if (words[0] === 'send') t.regex(stdout, /^200 /m);
  }
  t.is(articleFiles(dir).length, 1);
  t.regex(articleFiles(dir)[0] ?? '', /content\/articles\/\d{4}\/\d\d\/[^/]+\.md$/);
  await until('the article is committed', () =>
    gitIn(dir, 'log', '--branches', '--format=%s').includes('Publish: '),
  );
  const home = async () => (await fetch(`http://127.0.0.1:${port}/`)).text();
  await until('the home page has a link to the article', async () => (await home()).includes('/articles/'));
  t.true(fs.existsSync(join(dir, 'pressmark.config.mjs')));
  t.notRegex(part.split(/^## /m)[0] ?? '', /example\.com/, 'no article gets an address that nobody has');
});
