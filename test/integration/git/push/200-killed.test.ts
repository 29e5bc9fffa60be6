import fs from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { gitIn, launchIn, makeRemote } from '../../../support/clones.js';
import { notLinearizable } from '../../../support/linearizable.js';
import type { Receiver } from '../../../support/receiver.js';
import { createStorm } from '../../../support/storm.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

/** Some seconds by default; PRESSMARK_TEST_KILLS=50 for the whole proof. */
const KILLS = Number(process.env.PRESSMARK_TEST_KILLS ?? 2);

test('machines die and the remote goes away: nothing acknowledged is lost, nothing is doubled', async (t) => {
  const clones = makeRemote(tempDir(t));
  const dirs = ['a', 'b', 'c'].map((name) => clones.clone(name));
  const receivers: Receiver[] = await Promise.all(dirs.map((dir) => launchIn(dir)));
  t.teardown(() => Promise.all(receivers.map(({ kill }) => kill('SIGKILL'))));
  const storm = createStorm({ clients: () => receivers, articles: 5, lanes: 5 });
  let over = false;
  const blowing = storm.blow({ isOver: () => over });
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      const index = kill % receivers.length;
      const [victim, dir = ''] = [receivers[index], dirs[index]];
      const before = storm.history.length;
      await until(() => storm.history.length > before + 10);
      await setTimeout(Math.random() * 100);
      await victim?.kill('SIGKILL');
      receivers[index] = await launchIn(dir);
      if (kill % 2 !== 1) continue;
      fs.renameSync(clones.remote, `${clones.remote}.away`);
      await setTimeout(1_000);
      fs.renameSync(`${clones.remote}.away`, clones.remote);
    }
  } finally {
    over = true;
    await blowing;
  }
  await storm.lookAtAll(receivers);
  t.log(`${KILLS} kills, ${storm.history.length} deliveries`);
  t.deepEqual(notLinearizable(storm.history), []);

  const texts = [...clones.articles().values()];
  const ids = texts.map((text) => /^id: "(.*)"$/m.exec(text)?.[1] ?? '');
  t.is(new Set(ids).size, ids.length, 'no article twice');
  for (const id of storm.published.keys()) t.true(ids.includes(id), id);
  t.is(clones.git('fsck', '--full', '--no-dangling').trim(), '');
  const tip = clones.git('rev-parse', 'main');
  for (const dir of dirs) {
    await until(() => gitIn(dir, 'rev-parse', 'HEAD') === tip);
    t.is(gitIn(dir, 'status', '--porcelain'), '');
    t.is(gitIn(dir, 'fsck', '--full', '--no-dangling').trim(), '');
    t.deepEqual(
      fs.readdirSync(`${dir}/.pressmark/staging`).filter((name) => name.startsWith('take-')),
      [],
    );
  }
});
