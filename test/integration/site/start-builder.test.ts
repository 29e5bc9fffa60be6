import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type EarlyBuilder, startBuilderEarly } from '../../../src/app/builder/start-builder.js';
import { loadSettings } from '../../../src/config/load.js';
import type { Request } from '../../../src/site/builder/thread-client.js';
import { tempDir } from '../../support/temp-dir.js';
import { fileOf, put, SITE_URL } from './test-site.js';

/** Longer than a thread takes to start on a busy machine. */
const PATIENCE_MS = 60_000;

/** Has the thread build everything. @returns what it answers. */
async function buildAll(early: EarlyBuilder): Promise<unknown> {
  const worker = early.take();
  if (worker === undefined) throw new Error('the thread has ended');
  worker.postMessage({ id: 1, kind: 'build', paths: 'all' } satisfies Request);
  const [answer]: unknown[] = await once(worker, 'message');
  await worker.terminate();
  return answer;
}

test('the builder’s thread says when it has read what was built last, and whether that stands', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ siteUrl: SITE_URL }));
  put(join(dir, 'content/articles/bees.md'), fileOf('bees', SITE_URL, {}));
  const settings = await loadSettings(dir, {}, {});
  const first = startBuilderEarly(settings, false, PATIENCE_MS);
  t.teardown(first.close);
  await first.loaded();
  t.false(first.isWhole());
  t.like(await buildAll(first), { kind: 'built', report: { failed: 0 } });
  t.true(fs.existsSync(join(dir, 'public/articles/bees/index.html')));

  const second = startBuilderEarly(settings, false, PATIENCE_MS);
  t.teardown(second.close);
  await second.loaded();
  t.true(second.isWhole());
});

test('a start does not wait for a thread that is late', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ siteUrl: SITE_URL }));
  const late = startBuilderEarly(await loadSettings(dir, {}, {}), false, 0);
  t.teardown(late.close);
  await late.loaded();
  t.false(late.isWhole());
});

test('where Pressmark builds no site there is no thread to wait for', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{ "site": false }');
  const none = startBuilderEarly(await loadSettings(dir, {}, {}), false, PATIENCE_MS);
  await none.loaded();
  t.false(none.isWhole());
  t.is(none.take(), undefined);
});
