import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn, makeRemote } from '../../support/clones.js';
import { article } from '../../support/events.js';
import { OWN_PROGRAMS, startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { withPlugins } from '../../support/with-plugins.js';

const TELLER = `import fs from 'node:fs';
export default { name: 'teller', receiver(host) {
  for (const on of ['git.committed', 'git.pushed'])
    host.job(on.replace('.', '-'), { on, run: ({ commit }) => fs.appendFileSync(host.paths.site + '/.pressmark/told', on + ' ' + commit + '\\n') });
} };`;

/** Has the receiver killed as soon as a command of git has done its work, once. */
const killedAfter = (command: string, flag: string) => `#!/bin/sh
PATH="\${PATH#*:}" git "$@"
code=$?
case "$*" in *"${command}"*) [ -e "${flag}" ] && rm "${flag}" && kill -9 $PPID ;; esac
exit $code
`;

for (const { durability, command, told } of [
  { durability: 'disk', command: 'pressmark: articles', told: ['git.committed'] },
  { durability: 'push', command: ' push ', told: ['git.committed', 'git.pushed'] },
])
  test(`level ${durability}: a receiver that is killed right after git’s ${command.trim()} tells ${told.join(' and ')} after its next start`, async (t) => {
    const folder = tempDir(t);
    const config = {
      site: false,
      durability,
      git: { push: durability === 'push' ? { debounce: 10 } : false },
    };
    const dir = makeRemote(folder, undefined, config).clone('site');
    withPlugins(dir, { teller: TELLER });
    gitIn(dir, 'add', '.');
    gitIn(dir, 'commit', '--quiet', '-m', 'Plugin');
    gitIn(dir, 'push', '--quiet');
    const flag = join(folder, 'kill');
    fs.mkdirSync(join(dir, OWN_PROGRAMS), { recursive: true });
    fs.writeFileSync(join(dir, OWN_PROGRAMS, 'git'), killedAfter(command, flag), { mode: 0o755 });
    const receiver = await startReceiver(t, { dir });
    fs.writeFileSync(flag, '');
    const data = article();
    await receiver.post('article.published', data).catch(() => undefined); // at level push there is no answer
    await receiver.ended;
    t.false(fs.existsSync(flag));

    await startReceiver(t, { dir });
    const file = join(dir, '.pressmark/told');
    const lines = () => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trimEnd().split('\n') : []);
    for (const on of told) await until(`${on} is told`, () => lines().some((line) => line.startsWith(on)));
    const tip = gitIn(dir, 'rev-parse', 'HEAD').trim();
    for (const on of told) t.true(lines().includes(`${on} ${tip}`));
    t.is(gitIn(dir, 'log', '-1', '--format=%(trailers:key=Article-Id,valueonly)').trim(), data.id);
    t.true(lines().filter((line) => line === `git.committed ${tip}`).length <= 2);
  });
