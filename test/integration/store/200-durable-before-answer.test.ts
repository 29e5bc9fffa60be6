import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { fileOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { createFaults, type Traced } from '../../support/faults.js';
import { STORE_ONLY, startReceiver } from '../../support/receiver.js';

/** The calls on the content folder and the journal, in their order, each by a name that does not change. */
function stepsOf(trace: readonly Traced[], dir: string): string[] {
  return trace
    .filter(({ call }) => ['write', 'fsync', 'link', 'rename', 'mkdir'].includes(call))
    .map(({ call, paths }) => {
      const last = (paths.at(-1) ?? '').slice(dir.length);
      return `${call} ${last.replace(/.*\.pressmark-.*\.(tmp|undo)$/, '$1').replace(/.*\.md$/, 'article')}`;
    })
    .filter((step) => /content|tmp|undo|article|journal/.test(step));
}

/** That each step was taken, one after the other; others may lie between. */
function inOrder(steps: readonly string[], expected: readonly string[]): boolean {
  let at = 0;
  for (const step of steps) if (step === expected[at]) at++;
  return at === expected.length;
}

test('a publication is written, synced, named in the journal, linked, and all its folders are synced', async (t) => {
  const faults = createFaults(t);
  const { dir, post } = await startReceiver(t, faults.options);
  faults.clear();
  t.is((await post('article.published', article())).status, 200);
  const steps = stepsOf(faults.trace(), dir);
  t.true(inOrder(steps, ['write tmp', 'fsync tmp', 'link article']));
  t.true(inOrder(steps, ['write /.pressmark/journal', 'link article']));
  const linked = steps.indexOf('link article');
  for (const folder of ['', '/articles', '/articles/2026', '/articles/2026/11'])
    t.true(steps.indexOf(`fsync /content${folder}`) > linked, `content${folder}`);
  t.true(
    faults.trace().some(({ call, paths }) => call === 'fsync' && paths[0] === dir),
    'the site’s folder',
  );

  faults.clear();
  t.is((await post('article.published', article())).status, 200);
  t.true(inOrder(stepsOf(faults.trace(), dir), ['link article', 'fsync /content/articles/2026/11']));
});

test('a folder that somebody removed and that is made again has its new entry synced', async (t) => {
  const faults = createFaults(t);
  const { dir, post } = await startReceiver(t, faults.options);
  const data = article();
  await post('article.published', data);
  fs.rmSync(join(dir, 'content/articles/2026/11'), { recursive: true });
  faults.clear();
  t.is((await post('article.published', data)).status, 200);
  t.true(inOrder(stepsOf(faults.trace(), dir), ['link article', 'fsync /content/articles/2026']));

  fs.rmSync(join(dir, 'content/articles'), { recursive: true });
  faults.clear();
  t.is((await post('article.published', data)).status, 200);
  const steps = stepsOf(faults.trace(), dir);
  for (const folder of ['', '/articles', '/articles/2026', '/articles/2026/11'])
    t.true(steps.includes(`fsync /content${folder}`), `content${folder}`);
});

test('an update is written, synced, kept by a second name, renamed, and its folder synced', async (t) => {
  const faults = createFaults(t);
  const { dir, post, find } = await startReceiver(t, faults.options);
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const { revision_id: base_revision_id } = await find(url);
  faults.clear();
  const request = update({ target_id: data.id, target_url: url, base_revision_id });
  t.is((await post('article.updated', request)).status, 200);
  const steps = [
    'write tmp',
    'fsync tmp',
    'write /.pressmark/journal',
    'link undo',
    'rename article',
    'fsync /content/articles/2026/11',
  ];
  t.true(inOrder(stepsOf(faults.trace(), dir), steps));
});

test('what another process left behind is synced before it is acknowledged', async (t) => {
  const faults = createFaults(t);
  const first = await startReceiver(t, STORE_ONLY);
  const data = article();
  await first.post('article.published', data);
  await first.kill('SIGKILL');
  const { dir, post } = await startReceiver(t, { ...faults.options, dir: first.dir });
  faults.clear();
  t.is((await post('article.published', data)).status, 200);
  const steps = stepsOf(faults.trace(), dir);
  t.true(inOrder(steps, ['fsync article', 'fsync /content/articles/2026/11']));
  t.truthy(fileOf(dir, data.id));
});
