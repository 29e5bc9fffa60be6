import test from 'ava';
import { type JournalEntry, keepJournal, newestOfEachKind } from '../../../../src/app/records/journal.js';
import { createHooks } from '../../../../src/host/hooks/hooks.js';
import { createLog, hideInLog } from '../../../../src/log.js';

test('commits of a burst of deliveries do not push the builds out of the journal', (t) => {
  const at = '2026-11-19T08:00:00Z';
  const deploy = (n: number): JournalEntry => ({
    kind: 'deploy',
    at,
    target: `${n}`,
    ms: 1,
    error: null,
    output: '',
  });
  const live = (n: number): JournalEntry => ({ kind: 'live', at, path: `${n}` });
  const all = Array.from({ length: 5_000 }, (_, n) => (n < 300 ? deploy(n) : live(n)));
  const kept = newestOfEachKind(all);
  t.is(kept.length, 1_200);
  t.deepEqual(kept.slice(0, 2), [deploy(100), deploy(101)]);
  t.deepEqual(kept.at(-1), live(4_999));
});

/** A journal, and the actions that are noted in it. */
function journal() {
  const noted: JournalEntry[] = [];
  const hooks = createHooks(createLog({ level: 'silent', terminal: false }));
  const addAction: Parameters<typeof keepJournal>[0]['addAction'] = (name, handler) =>
    hooks.addAction(name, handler, { plugin: 'records' });
  keepJournal({ addAction }, { note: (entry) => void noted.push(entry) }, 'pressmark');
  return { noted, hooks };
}

test('builds that change nothing are noted only where somebody has asked', async (t) => {
  const { noted, hooks } = journal();
  const report = { pages: 3, bytes: 9, written: 2, removed: 0, files: [], ms: 5, articles: [], began: 0 };
  const built = { ...report, failed: 0, failures: [], output: 'a' };
  const nothing = { ...built, written: 0 };
  for (const one of [built, nothing]) await hooks.doAction('site.built', one);
  t.is(noted.length, 1);
  await hooks.doAction('build.requested', {});
  for (const one of [nothing, nothing]) await hooks.doAction('site.built', one);
  t.is(noted.length, 2);
  const failures = [{ page: 'index.html', reason: 'no such partial' }];
  await hooks.doAction('site.built', { ...nothing, failed: 2, failures });
  t.like(noted[2], { outcome: 'partly', by: 'pressmark', output: 'index.html: no such partial' });
});

test('of what a build, a deploy or a commit prints, the end is kept, without secrets', async (t) => {
  const { noted, hooks } = journal();
  const secret = 'token-that-nobody-sees';
  hideInLog(secret);
  await hooks.doAction('build.failed', { ms: 1, reason: `${secret}${'x'.repeat(3_990)} the end` });
  await hooks.doAction('deploy.failed', { target: 'host', ms: 1, error: `https://x:${secret}@host: 401` });
  await hooks.doAction('deploy.done', { target: 'host', ms: 1, output: `sent with ${secret}` });
  t.is(noted.length, 3);
  t.notRegex(JSON.stringify(noted), /nobody-sees|token-that/);
  const [failed] = noted;
  t.regex(failed?.kind === 'build' ? failed.output : '', /^d\]x{3990} the end$/);
  t.like(noted[1], { error: 'https://x:[redacted]@host: 401' });
  t.like(noted[2], { error: null, output: 'sent with [redacted]' });
});
