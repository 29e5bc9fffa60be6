import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { openDeploy, targetsBeforeReview } from '../../../src/app/deploy.js';
import { loadSettings } from '../../../src/config/load.js';
import { openFacts } from '../../../src/deploy/facts.js';
import type { DeployTarget } from '../../../src/deploy/targets/target.js';
import { folderWith } from '../../support/temp-dir.js';

const target = (name: string): DeployTarget => ({ name, deploy: async () => undefined });
const hook = { ...target('hook'), commits: { folder: () => '', version: () => '' } };

test('with pull requests, a target that Pressmark builds for gets articles before their review', (t) => {
  const settings = (pullRequest?: string) =>
    ({ git: { push: { branch: 'articles', pullRequest } } }) as Parameters<typeof targetsBeforeReview>[0];
  const targets = [target('folder /srv/www'), hook];
  t.deepEqual(targetsBeforeReview(settings('github'), targets), ['folder /srv/www']);
  t.deepEqual(targetsBeforeReview(settings(), targets), []);
});

test('the last errors of builds, commits and live checks that the config has no more go with a start', async (t) => {
  const at = '2026-01-02T03:04:05.000Z';
  const log = pino({ level: 'silent' });
  const factsWith = async (config: object, commits: boolean) => {
    const dir = folderWith(t, { 'pressmark.config.json': JSON.stringify(config) });
    const settings = await loadSettings(dir);
    const before = openFacts(join(dir, '.pressmark'), log);
    before.note({ buildError: { at, reason: 'x' }, commitError: { at, path: 'a.md', reason: 'x' } });
    before.note({ awaited: { path: 'a.md', id: 'a', url: 'https://a.example/a/', at, found: '404' } });
    await before.close();
    const opened = await openDeploy({
      settings,
      commits,
      log,
      articles: { get: async () => undefined },
      thread: { codec: {} } as Parameters<typeof openDeploy>[0]['thread'],
      pushes: undefined,
      isLiveAwaited: () => false,
    });
    return opened.facts();
  };
  const siteUrl = 'https://a.example';
  t.deepEqual(await factsWith({ siteUrl, site: false }, false), { awaited: [] });
  const kept = await factsWith({ siteUrl, liveCheck: true }, true);
  t.deepEqual(Object.keys(kept).toSorted(), ['awaited', 'buildError', 'commitError']);
  t.is(kept.awaited.length, 1);
});
