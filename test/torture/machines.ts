import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gitIn, launchIn, makeRemote } from '../support/clones.js';
import { createRandom } from '../support/random.js';
import type { Receiver } from '../support/receiver.js';
import { createStorm } from '../support/storm.js';
import { until } from '../support/until.js';
import { expectEqual } from './expect.js';
import { episode, runFor } from './lanes.js';
import { requireOneOrder } from './repository.js';
import type { Attack, Scenario } from './scenario.js';
import { withTeardown } from './teardown.js';

/** With more deliveries in one storm, the search for an order takes too long. */
const MOST_DELIVERIES = 500;
/** How long the remote cannot be reached in an outage. */
const OUTAGE_MS = 1_000;

export const machines: Scenario = {
  name: 'machines',
  promise:
    'Several machines with clones of one git remote act as one, even if machines are killed and the remote is unavailable.',
  weight: 3,
  run: async (attack) => {
    const counts = { storms: 0, deliveries: 0, kills: 0, outages: 0 };
    do {
      const ms = episode(attack.deadline, { least: 12_000, most: 30_000 });
      const storm = await attackStorm(counts.storms, ms, attack);
      counts.deliveries += storm.deliveries;
      counts.kills += storm.kills;
      counts.outages += storm.outages;
      counts.storms++;
    } while (performance.now() < attack.deadline);
    return counts;
  },
};

/**
 * Sends deliveries of all kinds to three machines that are killed in turn, while the remote is unavailable at times.
 */
function attackStorm(number: number, ms: number, { dir, seed, note }: Attack) {
  return withTeardown(async (t) => {
    const root = join(dir, `storm-${number}`);
    fs.mkdirSync(root);
    const clones = makeRemote(root);
    const dirs = ['a', 'b', 'c'].map((name) => clones.clone(name));
    const receivers: Receiver[] = [];
    const start = async (index: number) => {
      const receiver = await launchIn(dirs[index] ?? '');
      t.teardown(() => receiver.kill('SIGKILL'));
      receivers[index] = receiver;
    };
    await Promise.all(dirs.map((_, index) => start(index)));
    const random = createRandom(`machines killer ${number}`, seed);
    const storm = createStorm({
      random: createRandom(`machines storm ${number}`, seed),
      clients: () => receivers,
      articles: 5,
      lanes: 5,
    });
    let kills = 0;
    let outages = 0;

    async function killer(isOver: () => boolean): Promise<void> {
      do {
        const before = storm.history.length;
        await until(
          'the machines should answer deliveries',
          () => storm.history.length > before + 10 || isOver(),
        );
        await setTimeout(random.next() * 200);
        const index = random.integer(0, receivers.length);
        await receivers[index]?.kill('SIGKILL');
        kills++;
        note(`machine ${index} killed after ${storm.history.length} deliveries`);
        await start(index);
        if (random.chance(0.5)) {
          fs.renameSync(clones.remote, `${clones.remote}.away`);
          outages++;
          await setTimeout(OUTAGE_MS);
          fs.renameSync(`${clones.remote}.away`, clones.remote);
        }
      } while (!isOver());
    }

    const enough = (isOver: () => boolean) => () => isOver() || storm.history.length >= MOST_DELIVERIES;
    await runFor(ms, (isOver) => [storm.blow({ isOver: enough(isOver) }), killer(enough(isOver))]);
    await storm.lookAtAll(receivers);

    const remoteIds = [...clones.articles().values()].map((text) => /^id: "(.*)"$/m.exec(text)?.[1] ?? '');
    requireOneOrder(storm, remoteIds);
    expectEqual(clones.git('fsck', '--full', '--no-dangling').trim(), '', 'git fsck should find nothing');
    expectEqual(
      clones.git('rev-list', '--merges', '--count', 'main').trim(),
      '0',
      'the branch should have no merge commits',
    );
    const tip = clones.git('rev-parse', 'main');
    for (const clone of dirs) {
      await until(
        'each clone should reach the commit of the remote',
        () => gitIn(clone, 'rev-parse', 'HEAD') === tip,
      );
      expectEqual(
        gitIn(clone, 'status', '--porcelain'),
        '',
        'the files of each clone should be those of the branch',
      );
      expectEqual(gitIn(clone, 'fsck', '--full', '--no-dangling').trim(), '', 'git fsck should find nothing');
    }
    for (const receiver of receivers)
      expectEqual(await receiver.stop(), 0, 'a receiver should end with 0 on SIGTERM');
    fs.rmSync(root, { recursive: true });
    return { deliveries: storm.history.length, kills, outages };
  });
}
