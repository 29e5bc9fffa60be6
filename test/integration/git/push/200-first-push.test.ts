import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn, launchIn, makeRemote } from '../../../support/clones.js';
import { article } from '../../../support/events.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

const { PATH = '' } = process.env;
/** Has time pass five times as fast for a receiver. */
function fastTime(folder: string) {
  const fast = join(folder, 'fast');
  fs.writeFileSync(fast, '');
  const preload = new URL('./fast-time.js', import.meta.url).href;
  return { preload, env: { PRESSMARK_TEST_FAST_WHILE: fast } };
}

test('a remote that could not be reached at the start, and has no branch yet, gets the history of the clone', async (t) => {
  const folder = tempDir(t);
  const clones = makeRemote(folder);
  const dir = clones.clone('site');
  const first = gitIn(dir, 'rev-parse', 'HEAD').trim();
  clones.git('update-ref', '-d', 'refs/heads/main');
  const away = `${clones.remote}.away`;
  fs.renameSync(clones.remote, away);
  // The remote comes back at the very moment of a push, or when it has been asked often.
  const bin = join(folder, 'bin');
  const asked = join(folder, 'asked');
  const started = join(folder, 'started');
  const script = `#!/bin/sh
PATH='${PATH}'
[ -e '${started}' ] || exec git "$@"
case "$*" in *' ls-remote '*) echo >> '${asked}';; esac
case "$*" in *' push '*) mv '${away}' '${clones.remote}' 2> /dev/null;; esac
[ ! -s '${asked}' ] || [ "$(wc -l < '${asked}')" -lt 8 ] || mv '${away}' '${clones.remote}' 2> /dev/null
exec git "$@"
`;
  fs.mkdirSync(bin);
  fs.writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  const { preload, env } = fastTime(folder);
  const receiver = await launchIn(dir, { preload, health: 'any', env: { ...env, PATH: `${bin}:${PATH}` } });
  t.teardown(() => receiver.kill('SIGKILL'));
  fs.writeFileSync(started, '');
  const data = article();
  await until(
    'the article is stored',
    async () => (await receiver.post('article.published', data)).status === 200,
  );
  t.is(clones.git('rev-list', '--max-parents=0', 'main').trim(), first);
  t.is(clones.articles().size, 1);
});
