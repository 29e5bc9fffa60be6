import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { debris } from '../support/content.js';
import { createRandom } from '../support/random.js';
import { launch, type Receiver } from '../support/receiver.js';
import { createStorm } from '../support/storm.js';
import { expectEqual, expectNoneSoon } from './expect.js';
import { runFor } from './lanes.js';
import { requireOneOrder, requireWholeFiles } from './repository.js';
import type { Attack, Counts, Scenario } from './scenario.js';
import { withTeardown } from './teardown.js';

export const receivers: Scenario = {
  name: 'receivers',
  promise:
    'Receivers on one folder act as one, even if they are killed: one order of the deliveries explains all answers.',
  weight: 3,
  run: attackFolders,
};

/** How many deliveries a storm has for each receiver. With more, the search for an order takes too long. */
const DELIVERIES_PER_RECEIVER = 60;
const ARTICLES = 6;
/** A storm ends after this time even if a busy machine has not answered that many deliveries. */
const LONGEST_STORM_MS = 15_000;

async function attackFolders(attack: Attack): Promise<Counts> {
  const counts = { linearizableStorms: 0, deliveries: 0, kills: 0 };
  do {
    const number = counts.linearizableStorms;
    // Two receivers first: a short run has one storm.
    const storm = await attackFolder([2, 3, 1][number % 3] ?? 1, number, attack);
    counts.linearizableStorms++;
    counts.deliveries += storm.deliveries;
    counts.kills += storm.kills;
  } while (performance.now() < attack.deadline);
  return counts;
}

/** Sends deliveries of all kinds to receivers that are killed in turn. One order must explain all answers. */
function attackFolder(
  count: number,
  number: number,
  { dir: root, seed, note }: Attack,
): Promise<{ deliveries: number; kills: number }> {
  return withTeardown(async (t) => {
    const dir = join(root, `folder-${number}`);
    fs.mkdirSync(dir);
    const random = createRandom(`receivers killer ${number}`, seed);
    const running: Receiver[] = [];
    const start = async (slot: number) => {
      const receiver = await launch(dir, { storeOnly: true });
      t.teardown(() => receiver.kill('SIGKILL'));
      running[slot] = receiver;
    };
    await Promise.all(Array.from({ length: count }, (_, slot) => start(slot)));
    const storm = createStorm({
      random: createRandom(`receivers storm ${number}`, seed),
      clients: () => running,
      articles: ARTICLES,
      lanes: 2 + count,
    });
    let kills = 0;
    const killer = async (isOver: () => boolean) => {
      while (!isOver()) {
        await setTimeout(300 + random.next() * 900);
        const slot = random.integer(0, count);
        await running[slot]?.kill('SIGKILL');
        kills++;
        await start(slot);
      }
    };
    const enough = (isOver: () => boolean) => () =>
      isOver() || storm.history.length >= DELIVERIES_PER_RECEIVER * count;
    await runFor(LONGEST_STORM_MS, (isOver) => [
      storm.blow({ isOver: enough(isOver) }),
      killer(enough(isOver)),
    ]);
    await storm.lookAtAll(running);
    note(`storm ${number}: ${count} receivers, ${storm.history.length} deliveries, ${kills} kills`);

    requireOneOrder(
      storm,
      requireWholeFiles(dir).map(({ article: { id } }) => id),
    );
    for (const receiver of running)
      expectEqual(await receiver.stop(), 0, 'a receiver should end with 0 on SIGTERM');
    await start(0);
    await expectNoneSoon(
      () => debris(dir),
      'a start should remove all temporary files of an interrupted write',
    );
    await running[0]?.stop();
    fs.rmSync(dir, { recursive: true });
    return { deliveries: storm.history.length, kills };
  });
}
