import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn } from '../../support/clones.js';
import { run, SITE_URL } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

const ENV = { PRESSMARK_SECRET: 'a-secret-that-nobody-guesses-1234', PRESSMARK_SITE_URL: SITE_URL };

test('with durability push, a submodule that is not initialised, and not in .gitmodules, is refused as the content folder by the start and by doctor', async (t) => {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  fs.mkdirSync(join(dir, 'content'));
  fs.writeFileSync(join(dir, '.gitignore'), 'public/\n.gitconfig\n');
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ site: false, durability: 'push' }));
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'First');
  const head = gitIn(dir, 'rev-parse', 'HEAD').trim();
  gitIn(dir, 'update-index', '--add', '--cacheinfo', `160000,${head},content`);
  gitIn(dir, 'commit', '--quiet', '-m', 'Submodule');
  gitIn(dir, 'init', '--quiet', '--bare', '.git/remote.git');
  gitIn(dir, 'remote', 'add', 'origin', join(dir, '.git/remote.git'));
  gitIn(dir, 'push', '--quiet', 'origin', 'main');
  const started = await run(['start', '--dir', dir, '--port', '0'], ENV);
  t.is(started.code, 2);
  const reason = /content is a submodule that is not initialised/;
  t.regex(`${started.stdout}${started.stderr}`, reason);
  const { code, stdout } = await run(['doctor', '--dir', dir], ENV);
  t.not(code, 0);
  t.regex(stdout, reason);
});
