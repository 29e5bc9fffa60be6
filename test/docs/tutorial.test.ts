import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { gitEnvironment } from '../support/clones.js';
import { articleFiles } from '../support/content.js';
import { freePort } from '../support/free-port.js';
import { bareEnvironment, launch, PROGRAM } from '../support/receiver.js';
import { tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';

const page = fs.readFileSync(new URL('../../../docs/tutorial.md', import.meta.url), 'utf8');

/** The lines of the page's shell blocks, in order. */
const COMMANDS = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
  block.trim().split('\n'),
);
const [, CONFIG = ''] = /^```js\n(\/\/ pressmark\.config\.mjs\n[\s\S]*?)^```$/m.exec(page) ?? [];

test('the tutorial, in a folder with Pressmark in it: each command does what it says', async (t) => {
  const root = tempDir(t);
  const remote = join(root, 'remote.git');
  const site = join(root, 'garden');
  const env = {
    ...bareEnvironment(),
    ...gitEnvironment(root),
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
  };
  // Not synchronous: receivers of other tests are in this process.
  const run = async (command: string, cwd: string) =>
    (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', command], { cwd, env })).stdout;
  await run(`git init --quiet --bare --initial-branch=main '${remote}'`, root);
  for (const command of COMMANDS) {
    if (command === 'npx pressmark start') {
      fs.writeFileSync(join(site, 'pressmark.config.mjs'), CONFIG);
      const receiver = await launch(site, {
        port: await freePort(),
        env: { PRESSMARK_SECRET: undefined, PRESSMARK_SITE_URL: undefined },
      });
      t.teardown(() => receiver.kill('SIGKILL'));
      continue;
    }
    const line = command
      .replace('git@github.com:you/you.github.io.git', remote)
      .replace('npx pressmark', `'${process.execPath}' '${PROGRAM}'`);
    await run(line, command.startsWith('mkdir garden') ? root : site);
  }
  t.is(articleFiles(site).length, 1);
  const published = () => run('git ls-tree -r --name-only gh-pages 2>/dev/null || true', remote);
  await until('the article is on the branch of the host', async () =>
    /^articles\/[^/]+\/index\.html$/m.test(await published()),
  );
  t.regex(await published(), /^\.nojekyll$/m);
  await until('the article is committed', async () =>
    (await run('git log --format=%s', site)).includes('Publish: '),
  );
});
