import test from 'ava';
import { pino } from 'pino';
import { createLiveReload } from '../../../../src/app/server/live-reload.js';
import { createHooks } from '../../../../src/host/hooks/hooks.js';
import { startHost } from '../../../../src/host/host.js';
import { hostSite } from '../../../support/host-site.js';

/** A request from this machine. */
const LOCAL = {
  headers: { host: 'localhost:8787' },
  httpVersion: '1.1',
  socket: { remoteAddress: '127.0.0.1', localPort: 8787 },
};

test('browsers hear of builds by the site’s own generator as of builds by Pressmark', async (t) => {
  const log = pino({ level: 'silent' });
  const hooks = createHooks(log);
  const { plugin, inject } = createLiveReload('');
  const articles = { get: async () => undefined, find: async () => undefined, ids: () => [] };
  const around = { face: 'receiver', ...hostSite('/'), log, articles, hooks } as const;
  await startHost([{ plugin, origin: 'test' }], around);
  const seen = () => inject(LOCAL as Parameters<typeof inject>[0]);
  const first = seen();
  const build = { ms: 1, began: 0, runs: 1, removed: [], articles: [] };
  await hooks.doAction('build.done', { ...build, written: ['index.html'] });
  const second = seen();
  t.not(second, first, 'a build that has changed a file');
  await hooks.doAction('build.done', { ...build, written: [] });
  t.is(seen(), second, 'a build that has changed nothing');
});
