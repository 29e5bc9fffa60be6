import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { freePort } from '../../support/free-port.js';
import { startReceiver } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { withPlugins } from '../../support/with-plugins.js';

// What a receiver that is killed at any write of the queue leaves is in unit/host/jobs-killed.

const linesIn = (path: string) =>
  fs.existsSync(path) ? fs.readFileSync(path, 'utf8').trimEnd().split('\n') : [];

/** Writes a line for each article that is live. */
const LIVE_PLUGIN = `import fs from 'node:fs';
export default { name: 'herald', receiver(host) {
  host.job('live', { on: 'article.live', run: ({ id }) => fs.appendFileSync(host.paths.site + '/live', id + '\\n') });
} };`;

const KEEPER = `export default { name: 'keeper', receiver(host) {
  host.routes((router) => router.get('/:id/:state', async (context) => {
    const { id, state } = context.params;
    context.body = await host.articles.setState(id, state);
  }));
} };`;

test('jobs: an article that is live is announced after a kill, whether it is new, was released, or a person has released it in its file while no receiver ran', async (t) => {
  const dir = withPlugins(tempDir(t), { herald: LIVE_PLUGIN, keeper: KEEPER });
  const port = await freePort();
  const config = { liveCheck: true, git: false, site: { search: false } };
  const options = { dir, port, config, env: { PRESSMARK_SITE_URL: `http://127.0.0.1:${port}` } };
  const receiver = await startReceiver(t, options);
  const set = (id: string, state: string) => fetch(`${receiver.origin}/-/keeper/${id}/${state}`);
  const states = () => linesIn(join(dir, '.pressmark/states.json')).join();
  const fileOf = (id: string) => {
    const [name = ''] = fs
      .readdirSync(join(dir, 'content'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith(`/${id}.md`));
    return join(dir, 'content', name);
  };
  for (const id of ['edited', 'by-hand']) {
    t.is((await receiver.post('article.published', article({ id, slug: id }))).status, 200);
    await until('it is live', () => linesIn(join(dir, 'live')).includes(id));
    fs.appendFileSync(fileOf(id), '\nBy a person.\n');
    await set(id, 'held');
    await until('it is held', () => states().includes(`${id}.md`));
  }
  fs.rmSync(join(dir, 'live'));
  await set('edited', 'live');
  t.is((await receiver.post('article.published', article({ id: 'new', slug: 'new' }))).status, 200);
  // Mostly before its live check has begun; on a slow machine it may have announced them, and be killed before it has noted that.
  await receiver.kill('SIGKILL');
  const file = fileOf('by-hand');
  const released = fs.readFileSync(file, 'utf8').replace(/^(?:held|draft):.*\n/gm, '');
  fs.writeFileSync(file, released);
  await startHere(t, options);
  const announced = () => [...new Set(linesIn(join(dir, 'live')))].sort();
  await until('the jobs have run', () => announced().length > 2);
  t.deepEqual(announced(), ['by-hand', 'edited', 'new']);
});
