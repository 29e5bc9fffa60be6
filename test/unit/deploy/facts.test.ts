import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openFacts, readFacts } from '../../../src/deploy/facts.js';
import { createLog } from '../../../src/log.js';
import { tempDir } from '../../support/temp-dir.js';

const log = createLog({ level: 'silent', terminal: false });
const at = '2026-11-20T08:00:00.000Z';
const article = (id: string) => ({ path: `content/${id}.md`, id, url: `https://garden.example/${id}`, at });

test('the file of the facts does not grow without end, and what others know of it stays right', async (t) => {
  const stateDir = tempDir(t);
  const [one, other] = [openFacts(stateDir, log), openFacts(stateDir, log)];
  one.note({ build: { at, began: at }, awaited: article('first') });
  t.is(one.now.awaited.length, 1);
  t.is(other.now.awaited.length, 1);
  const long = 'x'.repeat(1_000);
  for (let n = 0; n < 1_000; n++) {
    one.note({ delivery: article(`${long}-${n}`), awaited: article(`a-${n % 10}`) });
    if (n % 100 === 0) t.is(one.now.delivery?.id, `${long}-${n}`);
  }
  await one.close();
  t.true(fs.statSync(join(stateDir, 'facts.jsonl')).size < 2_500_000);
  t.is(other.now.awaited.length, 11);
  t.like(other.now, { build: { at }, delivery: { id: `${long}-999` } });
  t.deepEqual(other.now, readFacts(stateDir));
});
