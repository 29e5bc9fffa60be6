import test from 'ava';
import { createStages, readStages } from '../../../src/deploy/stages.js';
import { createLog } from '../../../src/log.js';
import { tempDir } from '../../support/temp-dir.js';

const log = createLog({ level: 'silent', terminal: false });
const change = (id: string) => ({
  path: `content/${id}.md`,
  id,
  url: `https://garden.example/${id}/`,
  digest: id,
  answeredAt: 1,
});

test('after a restart a change has reached no stage that it was not seen to reach', async (t) => {
  const stateDir = tempDir(t);
  const open = () => createStages(['committed', 'pushed', 'built', 'deployed', 'live'], stateDir, log);
  const first = open();
  const [a, b] = [change('a'), change('b')];
  for (const one of [a, b]) first.received(one);
  first.reached('committed', [b]);
  first.reached('built', [a, b]);
  first.reached('deployed', [b]);
  await first.close();
  const second = open();
  const ids = (changes: readonly { id: string }[]) => changes.map(({ id }) => id);
  t.deepEqual(ids(second.waitingFor('committed', 'received')), ['a']);
  t.deepEqual(ids(second.waitingFor('pushed', 'committed')), ['b']);
  // What the output and the targets have is looked at again.
  t.deepEqual(ids(second.waitingFor('built', 'received')), ['a', 'b']);
  t.deepEqual(ids(second.waitingFor('live', 'pushed')), []);
});

test('what a receiver has seen is not in the state of the next one', async (t) => {
  const stateDir = tempDir(t);
  const open = () => createStages(['built'], stateDir, log);
  const first = open();
  const one = change('a');
  first.received(one);
  first.reached('built', [one]);
  await first.close();
  t.is(readStages(stateDir)?.status.built?.newest?.id, 'a');
  const second = open();
  await second.close();
  t.deepEqual(readStages(stateDir)?.status, { received: { behind: 0 }, built: { behind: 0 } });
});
