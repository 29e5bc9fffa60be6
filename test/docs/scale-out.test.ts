import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { gitEnvironment, launchMachine } from '../support/clones.js';
import { article } from '../support/events.js';
import { PROGRAM } from '../support/receiver.js';
import { SECRET } from '../support/signer.js';
import { tempDir } from '../support/temp-dir.js';

const page = fs.readFileSync(new URL('../../../docs/scale-out.md', import.meta.url), 'utf8');

test('the commands of docs/scale-out.md make a remote and machines that store on it', async (t) => {
  const root = tempDir(t);
  const [remote, site, machine] = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) =>
    block
      .replaceAll('/srv/git', join(root, 'srv'))
      .replaceAll('npx pressmark doctor', `'${process.execPath}' '${PROGRAM}' doctor`)
      .replaceAll('npx pressmark start\n', ''),
  );
  // Not synchronous: receivers of other tests are in this process.
  const run = async (folder: string, script = '') => {
    fs.mkdirSync(join(root, folder));
    const identity = { GIT_AUTHOR_NAME: 'Olga', GIT_AUTHOR_EMAIL: 'o@example.org' };
    const committer = { GIT_COMMITTER_NAME: 'Olga', GIT_COMMITTER_EMAIL: 'o@example.org' };
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: join(root, folder),
      env: { ...gitEnvironment(root), ...identity, ...committer, PRESSMARK_SECRET: SECRET },
    });
    return stdout;
  };
  await run('host', remote);
  await run('first', `git init --quiet --initial-branch=main\n${site}`);
  const doctors = await Promise.all(['a', 'b'].map((name) => run(name, machine)));
  for (const said of doctors) t.regex(said, /the git remote origin answers/);

  const receivers = await Promise.all(['a', 'b'].map((name) => launchMachine(join(root, name, 'site'))));
  t.teardown(() => Promise.all(receivers.map(({ kill }) => kill('SIGKILL'))));
  const [a, b] = receivers;
  const data = article();
  const stored = await a?.post('article.published', data);
  t.is(stored?.status, 200);
  t.is((await b?.find(stored?.json.url ?? ''))?.id, data.id);
});
