import test from 'ava';
import { pino } from 'pino';
import { openFacts } from '../../../src/deploy/facts.js';
import { followBuilds } from '../../../src/deploy/follow-builds.js';
import { createHooks } from '../../../src/host/hooks/hooks.js';
import { startHost } from '../../../src/host/host.js';
import { definePlugin } from '../../../src/host/plugin.js';
import { hostSite } from '../../support/host-site.js';
import { tempDir } from '../../support/temp-dir.js';

test('a build that finds the output up to date has what was delivered before it, though the output is older', async (t) => {
  const log = pino({ level: 'silent' });
  const stateDir = tempDir(t);
  const facts = openFacts(stateDir, log);
  const hooks = createHooks(log);
  const plugin = definePlugin({
    name: 'builds',
    receiver: (host) =>
      followBuilds(host, {
        source: { folder: () => undefined, version: () => '' },
        stateDir,
        facts,
        queue: { changed: () => undefined },
        awaited: undefined,
      }),
  });
  const articles = { get: async () => undefined, find: async () => undefined, ids: () => [] };
  const host = await startHost([{ plugin, origin: 'the test', isFirstParty: true }], {
    face: 'receiver',
    ...hostSite(stateDir),
    log,
    articles,
    hooks,
  });
  t.teardown(host.close);
  const done = { ms: 1, written: [], removed: [], articles: [] };
  const now = performance.now();
  await hooks.doAction('build.done', { ...done, runs: 1, began: now - 60_000 });
  const first = facts.now.build;
  await hooks.doAction('build.done', { ...done, runs: 0, began: now - 1_000 });
  const second = facts.now.build;
  t.truthy(first);
  t.is(second?.at, first?.at);
  const later = Date.parse(second?.began ?? '') - Date.parse(first?.began ?? '');
  t.true(later > 50_000, `${later} ms later`);
});
