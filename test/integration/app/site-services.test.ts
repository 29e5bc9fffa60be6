import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type {
  BuildRecord,
  DeliveryAftermath,
  DeployRecord,
  LeftOutArticle,
} from '../../../src/host/admin/site-services.js';
import type { DeliveryRecord } from '../../../src/host/records.js';
import { article } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const SHOWING = `export default { name: 'showing', receiver(host) {
  const builds = () => host.use('builds');
  host.addFilter('article.draft', (draft) => draft.tags.includes('later') ? host.hold('later') : draft);
  host.routes((router) => {
    router.get('/all', async (context) => { context.body = {
      by: builds().by, targets: builds().targets, builds: await builds().builds(), deploys: await builds().deploys(),
      leftOut: await builds().leftOut(), deliveries: await host.deliveries() }; });
    router.get('/after/:key', async (context) => {
      context.body = await builds().after(await host.delivery(context.params.key)); });
    router.post('/build', async (context) => { await builds().build(); context.body = {}; });
    router.post('/deploy', async (context) => { await builds().deploy(); context.body = {}; });
  });
} };`;

interface Shown {
  readonly by: string;
  readonly targets: readonly string[];
  readonly builds: readonly BuildRecord[];
  readonly deploys: readonly DeployRecord[];
  readonly leftOut: readonly LeftOutArticle[];
  readonly deliveries: readonly DeliveryRecord[];
}

// What git shows is in ../admin/hostile-texts.

test('builds and deploys are kept for people, and a person can ask for a build and a deploy', async (t) => {
  const root = tempDir(t);
  const [dir, output] = [join(root, 'site'), join(root, 'srv')];
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' });
  fs.mkdirSync(dir);
  git('init', '-q', '-b', 'main');
  fs.writeFileSync(join(dir, '.gitignore'), '.pressmark/\npublic/\n');
  fs.writeFileSync(join(dir, 'showing.mjs'), SHOWING);
  const config = {
    deploy: [{ folder: output }, { command: 'echo 12 files uploaded' }],
    liveCheck: false,
    plugins: ['./showing.mjs'],
    site: { search: false },
  };
  const env = { GIT_AUTHOR_NAME: '', HOME: root };
  const receiver = await startHere(t, { dir, config, env });
  const get = async <T>(path: string) =>
    (await (await fetch(`${receiver.origin}/-/showing${path}`)).json()) as T;
  const post = (path: string) => fetch(`${receiver.origin}/-/showing${path}`, { method: 'POST' });
  const all = () => get<Shown>('/all');

  // On a slow machine that one might have the article, and end before its answer; then no build follows the delivery.
  await until('the build of the start is noted', async () => (await all()).builds.length > 0);
  const data = article({ id: 'soil', slug: 'soil' });
  t.is((await receiver.post('article.published', data)).status, 200);
  await receiver.post('article.published', article({ id: 'later', tags: ['later'] }));
  await until('both are noted', async () => (await all()).deliveries.length === 2);
  const keyOf = async (id: string) => (await all()).deliveries.find((one) => one.id === id)?.key ?? '';
  const key = await keyOf('soil');
  const after = () => get<DeliveryAftermath>(`/after/${key}`);
  await until('the article is deployed', async () => (await after()).deploys.length === 2);
  await until('it is committed', async () => (await after()).commit !== null);
  const { commit, path, build, deploys, leftOut } = await after();
  const targets = [`folder ${output}`, 'command echo 12 files uploaded'];
  t.is(git('log', '--format=%H', '--', path ?? '').trim(), commit?.commit ?? '');
  t.like(build, { by: 'pressmark', outcome: 'built' });
  const outputs = targets.map((one) => deploys.find(({ target }) => target === one)?.output);
  t.deepEqual(outputs, ['', '12 files uploaded']);
  t.is(leftOut, null);
  const held = await get<DeliveryAftermath>(`/after/${await keyOf('later')}`);
  t.like(held, { build: null, deploys: [], leftOut: { id: 'later', why: 'held' } });
  t.like(await all(), { by: 'pressmark', targets, leftOut: [{ id: 'later', why: 'held' }] });

  const before = await all();
  await post('/build');
  await until('the build is noted', async () => (await all()).builds.length > before.builds.length);
  t.like((await all()).builds[0], { written: 0, outcome: 'built' });
  await post('/deploy');
  await until('it is deployed again', async () => (await all()).deploys.length > before.deploys.length);
});
