import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { draftOf } from '../../../src/article/article.js';
import { fileOf } from '../../support/content.js';
import { article, type PublishedData, update } from '../../support/events.js';
import { sharedFaults, type Traced } from '../../support/faults.js';
import { encode } from '../../support/plain-files.js';
import { launch, type Receiver, SITE_URL } from '../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';

const faults = sharedFaults();
/** The site's folder is a symbolic link, as deployments make it. */
const parent = makeTempDir();
const site = join(parent, 'current');
const release = join(parent, 'release-1');
const left = article({ published_at: '2025-03-01T00:00:00Z' });
let receiver: Receiver;

test.serial.before(async () => {
  fs.mkdirSync(release);
  fs.symlinkSync('release-1', site);
  leave(release, left);
  receiver = await launch(site, faults.options);
});
test.after.always(async () => {
  await receiver?.kill('SIGKILL');
  removeTempDir(parent);
});

/** An article file that another process has left, perhaps without having synced it. */
function leave(dir: string, data: PublishedData): void {
  const folder = join(dir, 'content/articles', data.published_at.slice(0, 7).replace('-', '/'));
  fs.mkdirSync(folder, { recursive: true });
  const url = `${SITE_URL}/articles/${data.slug}/`;
  const { text } = encode({ ...draftOf(data), slug: data.slug, url, updated: null });
  fs.writeFileSync(join(folder, `${data.slug}.md`), text);
}

/** The calls on the content folder in their order, each by a name that does not change. */
function stepsOf(trace: readonly Traced[]): string[] {
  return trace
    .filter(({ call }) => ['write', 'fsync', 'link', 'rename', 'mkdir'].includes(call))
    .map(({ call, paths }) => {
      const last = (paths.at(-1) ?? '').replace(/^.*\/(?:current|release-1)(?=\/|$)/, '');
      return `${call} ${last.replace(/.*\.pressmark-.*\.tmp$/, 'tmp').replace(/.*\.md$/, 'article')}`;
    })
    .filter((step) => /content|tmp|article/.test(step));
}

/** Whether the expected steps were taken in this order; others may lie between. */
function inOrder(steps: readonly string[], expected: readonly string[]): boolean {
  let at = 0;
  for (const step of steps) if (step === expected[at]) at++;
  return at === expected.length;
}

test.serial(
  '200-published: a publication is written, synced, linked, and all its folders are synced',
  async (t) => {
    const { dir, post } = receiver;
    faults.clear();
    t.is((await post('article.published', article())).status, 200);
    const steps = stepsOf(faults.trace());
    t.true(inOrder(steps, ['write tmp', 'fsync tmp', 'link article']));
    const linked = steps.indexOf('link article');
    for (const folder of ['', '/articles', '/articles/2026', '/articles/2026/11'])
      t.true(steps.indexOf(`fsync /content${folder}`) > linked, `content${folder}`);
    t.true(
      faults.trace().some(({ call, paths }) => call === 'fsync' && paths[0] === dir),
      'the site’s folder',
    );

    faults.clear();
    t.is((await post('article.published', article())).status, 200);
    t.true(inOrder(stepsOf(faults.trace()), ['link article', 'fsync /content/articles/2026/11']));
  },
);

test.serial(
  '200-published: an article that another process has left is synced before it is acknowledged, and no folder above the site is opened',
  async (t) => {
    const { post } = receiver;
    faults.set({ call: 'open', path: `^${parent}$`, code: 'EACCES' });
    const { status, json } = await post('article.published', left);
    t.deepEqual([status, json.url], [200, `${SITE_URL}/articles/${left.slug}/`]);
    const steps = stepsOf(faults.trace());
    t.true(inOrder(steps, ['fsync article', 'fsync /content/articles/2025/03', 'fsync /content']));
    t.true(
      faults.trace().some(({ call, paths }) => call === 'fsync' && paths[0] === release),
      'the site’s folder is the last one',
    );
    t.truthy(fileOf(release, left.id), 'one file carries its id');
  },
);

test.serial('200-updated: an update is written, synced, renamed, and its folder synced', async (t) => {
  const { post, find } = receiver;
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const { revision_id: base_revision_id } = await find(url);
  faults.clear();
  const request = update({ target_id: data.id, target_url: url, base_revision_id });
  t.is((await post('article.updated', request)).status, 200);
  const steps = ['write tmp', 'fsync tmp', 'rename article', 'fsync /content/articles/2026/11'];
  t.true(inOrder(stepsOf(faults.trace()), steps));
});
