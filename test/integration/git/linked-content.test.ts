import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn, launchIn } from '../../support/clones.js';
import { article, update } from '../../support/events.js';
import { run, SITE_URL } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const ENV = { PRESSMARK_SECRET: 'a-secret-that-nobody-guesses-1234', PRESSMARK_SITE_URL: SITE_URL };

/** A repository whose content folder is a symbolic link to another folder in it. */
function linkedSite(t: Parameters<typeof tempDir>[0], config: Record<string, unknown>): string {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  fs.mkdirSync(join(dir, 'shared/texts'), { recursive: true });
  fs.writeFileSync(join(dir, 'shared/texts/.gitkeep'), '');
  fs.symlinkSync('shared/texts', join(dir, 'content'));
  fs.writeFileSync(join(dir, '.gitignore'), 'public/\n.gitconfig\n');
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ site: false, ...config }));
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'First');
  return dir;
}

for (const durability of ['disk', 'commit'])
  test(`200: with durability ${durability}, a content folder that is a symbolic link is committed where it leads`, async (t) => {
    const dir = linkedSite(t, { durability });
    const receiver = await launchIn(dir, { storeOnly: false });
    t.teardown(() => receiver.kill('SIGKILL'));
    const data = article();
    const { status, json } = await receiver.post('article.published', data);
    t.is(status, 200);
    const { revision_id: base_revision_id } = await receiver.find(json.url);
    const change = update({ target_id: data.id, target_url: json.url, base_revision_id });
    t.is((await receiver.post('article.updated', change)).status, 200);
    const subjects = () => gitIn(dir, 'log', '--reverse', '--format=%s', 'HEAD').trim().split('\n');
    const all = ['First', `Publish: ${data.title}`, 'Update: Keeping bees on a windy balcony'];
    await until('both are committed', () => subjects().length >= all.length);
    t.deepEqual(subjects(), all);
    t.is(gitIn(dir, 'status', '--porcelain'), '');
    await receiver.stop();
    t.is((await run(['doctor', '--dir', dir], ENV)).code, 0);

    const again = await launchIn(dir, { storeOnly: false });
    t.teardown(() => again.kill('SIGKILL'));
    t.is((await again.post('article.updated', change)).status, 200);
    t.is((await again.post('article.published', data)).status, 200);
    const next = update({ target_id: data.id, target_url: json.url, base_revision_id: change.id });
    t.is((await again.post('article.updated', next)).status, 200);
    await until('it is committed', () => subjects().length > all.length);
    t.is(subjects().length, all.length + 1);
    t.is(gitIn(dir, 'status', '--porcelain'), '');
  });

test('with durability push, a content folder that is a symbolic link is refused by the start and by doctor', async (t) => {
  const dir = linkedSite(t, { durability: 'push' });
  gitIn(dir, 'init', '--quiet', '--bare', '.git/remote.git');
  gitIn(dir, 'remote', 'add', 'origin', join(dir, '.git/remote.git'));
  gitIn(dir, 'push', '--quiet', 'origin', 'main');
  const started = await run(['start', '--dir', dir, '--port', '0'], ENV);
  t.is(started.code, 2);
  t.regex(`${started.stdout}${started.stderr}`, /content folder is a symbolic link/);
  const { code, stdout } = await run(['doctor', '--dir', dir], ENV);
  t.not(code, 0);
  t.regex(stdout, /content folder is a symbolic link/);
});
