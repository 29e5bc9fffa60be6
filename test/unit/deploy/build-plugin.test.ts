import test from 'ava';
import { pino } from 'pino';
import { type BuildAnswer, buildPlugin } from '../../../src/deploy/build-plugin.js';
import type { Actions } from '../../../src/host/hooks/hook-types.js';
import { createHooks } from '../../../src/host/hooks/hooks.js';
import { startHost } from '../../../src/host/host.js';
import { hostSite } from '../../support/host-site.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('a build that somebody asks for is made also where nothing has changed, once, and again where it could not be tried; what is wrong with addresses is said once', async (t) => {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const dir = tempDir(t);
  const forced: boolean[] = [];
  const answers: BuildAnswer[] = [];
  const plugin = buildPlugin({
    build: async (isForced) => {
      forced.push(isForced);
      return answers.shift() ?? { kind: 'current', addresses: 'two posts have one' };
    },
    close: async () => undefined,
    everyMs: 0,
  });
  const hooks = createHooks(log);
  const host = await startHost([{ plugin, origin: 'the test', isFirstParty: true }], {
    face: 'receiver',
    ...hostSite(dir),
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
  answers.push({ kind: 'error', reason: 'no space left' });
  await ask('build.requested', 2);
  await ask('article.edited', 3);
  await ask('article.edited', 4);
  t.deepEqual(forced, [false, true, true, false]);
  t.is(lines.join('').split('two posts have one').length - 1, 1);
});
