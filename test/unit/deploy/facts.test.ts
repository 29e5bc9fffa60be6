import test from 'ava';
import { factsIn, readFacts, shareFacts } from '../../../src/deploy/facts.js';
import { findLockHelper } from '../../../src/fs/lock-helper.js';
import { createLog } from '../../../src/log.js';
import { tempDir } from '../../support/temp-dir.js';

const log = createLog({ level: 'silent', terminal: false });
const at = '2026-11-20T08:00:00.000Z';

const delivered = (id: string) => {
  const delivery = { at, id, url: `https://garden.example/${id}` };
  return { delivery, awaited: { path: `content/${id}.md`, ...delivery } };
};

test('one receiver keeps the facts with what all have seen, and another one after it', async (t) => {
  const stateDir = tempDir(t);
  const [one, other] = [
    shareFacts(stateDir, findLockHelper(), log),
    shareFacts(stateDir, findLockHelper(), log),
  ];
  one.post(delivered('early'));
  t.is(readFacts(stateDir).delivery?.id, 'early', 'also before anybody keeps them');
  const kept = await one.keep();
  t.is(await other.keep(), undefined);
  t.deepEqual(
    kept?.now.awaited.map(({ id }) => id),
    ['early'],
  );

  other.post(delivered('late'));
  t.is(other.now().delivery?.id, 'late');
  const awaited = () => other.now().awaited.map(({ id }) => id);
  t.deepEqual(awaited(), ['early', 'late']);
  kept?.set({ build: { at } });
  const noted: unknown[] = [];
  const taken = one.takeNews((news) => {
    noted.push(news);
    kept?.set(factsIn(news));
  });
  t.deepEqual(awaited(), ['early', 'late'], 'also while they are taken in');
  await taken;
  t.deepEqual(noted.slice(-1), [delivered('late')]);
  await one.close();

  const next = await other.keep();
  t.like(next?.now, { delivery: { id: 'late' }, build: { at } });
  await other.close();
});

test('a commit after one that failed clears its error', (t) => {
  const stateDir = tempDir(t);
  const facts = shareFacts(stateDir, findLockHelper(), log);
  const commitError = { at, path: 'content/a.md', reason: 'a rebase is not finished' };
  facts.post({ commitError });
  t.deepEqual(readFacts(stateDir).commitError, commitError);
  facts.post({ commit: { at, commit: '1', subject: 'Publish: A' } });
  t.is(readFacts(stateDir).commitError, undefined);
});
