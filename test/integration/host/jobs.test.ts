import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { article } from '../../support/events.js';
import { createFaults } from '../../support/faults.js';
import { freePort } from '../../support/free-port.js';
import { startReceiver } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { withPlugins } from '../../support/with-plugins.js';

/** Writes a line for each run, and for each activation. */
const PLUGIN = `import fs from 'node:fs';
export default { name: 'announce', version: '1.0.0',
  receiver(host) {
    host.job('published', { on: 'article.published', since: 'ever', run({ article }) {
      fs.appendFileSync(host.paths.site + '/runs', 'published ' + article.id + '\\n');
    } });
  },
  async activate(host, { previous }) {
    await host.storage.set('activated', (await host.storage.get('activated') ?? 0) + 1);
    fs.appendFileSync(host.paths.site + '/activations', await host.storage.get('activated') + ' ' + previous + '\\n');
  },
};`;

const siteWithJobs = (t: ExecutionContext) => withPlugins(storeOnly(tempDir(t)), { announce: PLUGIN });

const linesIn = (path: string) =>
  fs.existsSync(path) ? fs.readFileSync(path, 'utf8').trimEnd().split('\n') : [];
const runsIn = (dir: string) => linesIn(join(dir, 'runs'));
const isDone = (dir: string) =>
  !fs.readdirSync(join(dir, '.pressmark/jobs/noted')).some((name) => name.endsWith('.json'));

test('jobs: a receiver that is killed between the answer and the run runs the job after its next start, once', async (t) => {
  const dir = siteWithJobs(t);
  const faults = createFaults(t);
  const receiver = await startReceiver(t, { ...faults.options, dir });
  const data = article();
  // The first is the note; before the second, which says that the job runs, the receiver is killed.
  faults.set({ call: 'rename', path: 'jobs/noted', skip: 1, kill: true });
  await receiver.post('article.published', data).catch(() => undefined);
  await receiver.ended;
  t.deepEqual(runsIn(dir), []);
  faults.clear();
  const next = await startHere(t, { dir });
  t.is((await next.post('article.published', data)).status, 200); // in case it was killed before the answer
  await until('the job has run', () => runsIn(dir).length > 0 && isDone(dir));
  t.deepEqual(runsIn(dir), [`published ${data.id}`]);
  t.deepEqual(linesIn(join(dir, 'activations')), ['1 undefined'], 'of one version there is one activation');
});

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
  await receiver.kill('SIGKILL'); // before its live check has begun
  const file = fileOf('by-hand');
  const released = fs.readFileSync(file, 'utf8').replace(/^(?:held|draft):.*\n/gm, '');
  fs.writeFileSync(file, released);
  await startHere(t, options);
  await until('the jobs have run', () => linesIn(join(dir, 'live')).length > 2);
  t.deepEqual(linesIn(join(dir, 'live')).sort(), ['by-hand', 'edited', 'new']);
});
