import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn, inClone, makeRemote } from '../../../support/clones.js';
import { article } from '../../../support/events.js';
import { startHere } from '../../../support/receiver-here.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

const { PATH = '' } = process.env;

const read = (path: string) => (fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '');

/** Fewer than the store writes at a time, and than any batch may have. */
const MANY = 40;

test(`200: at level push, ${MANY} articles are two pushes: the first article, and all that came during its push`, async (t) => {
  const folder = tempDir(t);
  const git = { push: { fetchEvery: 3_600_000 } };
  const dir = makeRemote(folder, undefined, { durability: 'push', git }).clone('site');
  // a character for each article that waits for its commit: its message is asked for just then
  const [waiting, pushes, hold, held] = [
    join(folder, 'waiting'),
    join(folder, 'pushes'),
    join(folder, 'hold'),
    join(folder, 'held'),
  ];
  fs.mkdirSync(join(dir, 'plugins'));
  fs.writeFileSync(
    join(dir, 'plugins', 'notice.mjs'),
    `import fs from 'node:fs';
     const notice = (message) => (fs.appendFileSync('${waiting}', '.'), message);
     export default { name: 'notice', receiver: (host) => host.addFilter('git.message', notice) };`,
  );
  const script = `#!/bin/sh
PATH='${PATH}'
case "$*" in *' push '*)
  echo >> '${pushes}'
  while [ -e '${hold}' ]; do : > '${held}'; sleep 0.05; done;;
esac
exec git "$@"
`;
  fs.mkdirSync(join(folder, 'bin'));
  fs.writeFileSync(join(folder, 'bin', 'git'), script, { mode: 0o755 });
  const options = { resend: true, env: { PATH: `${join(folder, 'bin')}:${PATH}` } };
  const receiver = await startHere(t, inClone(dir, options));
  const publish = async () => (await receiver.post('article.published', article())).status;

  fs.writeFileSync(hold, '');
  const first = publish();
  await until('the first article is being pushed', () => fs.existsSync(held));
  const others = Array.from({ length: MANY - 1 }, publish);
  await until('all articles wait for their push', () => read(waiting).length === MANY);
  fs.rmSync(hold);
  t.deepEqual([...new Set(await Promise.all([first, ...others]))], [200]);
  const log = gitIn(dir, 'log', `-${MANY}`, '--format=%x01', '--name-only', 'origin/main');
  const commits = log.split('\x01').slice(1);
  t.deepEqual([...new Set(commits.map((names) => names.trim().split('\n').length))], [1]);
  t.is(new Set(commits).size, MANY, 'one commit for each article, of that file alone');
  t.is(read(pushes).length, 2);
});
