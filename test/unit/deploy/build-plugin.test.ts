import test from 'ava';
import { type BuildAnswer, buildPlugin } from '../../../src/deploy/build-plugin.js';
import type { Actions } from '../../../src/host/hooks/hook-types.js';
import { createHooks } from '../../../src/host/hooks/hooks.js';
import { startHost } from '../../../src/host/host.js';
import { createLog } from '../../../src/log.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('a build that somebody asks for is made also where nothing has changed, once, and again where it was cancelled', async (t) => {
  const log = createLog({ level: 'silent', terminal: false });
  const dir = tempDir(t);
  const forced: boolean[] = [];
  const answers: BuildAnswer[] = [{ kind: 'cancelled' }];
  const plugin = buildPlugin({
    build: async (isForced) => {
      forced.push(isForced);
      return answers.shift() ?? { kind: 'current' };
    },
    cancel: () => undefined,
    close: async () => undefined,
    everyMs: 0,
  });
  const hooks = createHooks(log);
  const host = await startHost([{ plugin, origin: 'the test', isFirstParty: true }], {
    face: 'receiver',
    site: { url: 'https://garden.example', language: 'en', timeZone: 'UTC' },
    paths: { site: dir, content: dir, output: dir },
    stateDir: dir,
    log,
    articles: { get: async () => undefined, find: async () => undefined, ids: () => new Set() },
    hooks,
  });
  t.teardown(host.close);
  const change: Actions['article.edited'] = { path: 'a.md', id: 'a', url: 'https://garden.example/a/' };
  const ask = async (name: 'build.requested' | 'article.edited', builds: number) => {
    if (name === 'article.edited') await hooks.doAction(name, change);
    else await hooks.doAction(name, {});
    await until(`there are ${builds} builds`, () => forced.length === builds);
  };
  await ask('article.edited', 1);
  answers.push({ kind: 'cancelled' });
  await ask('build.requested', 2);
  await ask('article.edited', 3);
  await ask('article.edited', 4);
  t.deepEqual(forced, [false, true, true, false]);
});
