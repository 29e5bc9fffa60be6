import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gitIn, launchIn, makeRemote } from '../support/clones.js';
import { debris } from '../support/content.js';
import { notLinearizable } from '../support/linearizable.js';
import { createRandom } from '../support/random.js';
import { launch, type Receiver } from '../support/receiver.js';
import { createStorm, type Storm } from '../support/storm.js';
import { withTeardown } from '../support/teardown.js';
import { until } from '../support/until.js';
import { expectEqual, expectNone, expectNoneSoon, expectTrue } from './expect.js';
import { episode, runFor } from './lanes.js';
import { doubled, requireWholeFiles } from './repository.js';
import type { Attack, Counts, Scenario } from './scenario.js';

/** Where receivers act as one. */
interface Place {
  /** The folder of each receiver. */
  readonly dirs: readonly string[];
  launch(dir: string): Promise<Receiver>;
  readonly articles: number;
  /** A storm ends after so many deliveries. With more, the search for an order takes too long. */
  readonly mostDeliveries: number;
  /** A storm ends after this time even if a busy machine has not answered that many deliveries. */
  readonly ms: number;
  /** Takes what the receivers share away for a moment. */
  interrupt?(): Promise<void>;
  /** The ids of the articles that are stored. */
  storedIds(): string[];
  /** Requires what else must hold, while the receivers run and when they have ended. */
  check(): Promise<void>;
  checkAtEnd?(): Promise<void>;
}

/** The kills and interruptions of a storm are at least so many deliveries apart. */
const DELIVERIES_BETWEEN = 10;
const LONGEST_PAUSE_MS = 500;
/** How long the remote cannot be reached. */
const OUTAGE_MS = 1_000;

export const receivers: Scenario = {
  name: 'receivers',
  promise:
    'Receivers on one folder act as one, even if they are killed: one order of the deliveries explains all answers.',
  weight: 3,
  // Two receivers first: a short run has one storm.
  run: (attack) => blowStorms(attack, 'receivers', (root, n) => oneFolder(root, [2, 3, 1][n % 3] ?? 1)),
};

export const machines: Scenario = {
  name: 'machines',
  promise:
    'Several machines with clones of one git remote act as one, even if machines are killed and the remote is unavailable.',
  weight: 3,
  run: (attack) => blowStorms(attack, 'machines', (root) => threeClones(root, attack)),
};

/** One folder for all receivers. */
function oneFolder(root: string, count: number): Place {
  return {
    dirs: Array.from({ length: count }, () => root),
    launch: (dir) => launch(dir, { storeOnly: true }),
    articles: 6,
    mostDeliveries: 60 * count,
    ms: 15_000,
    storedIds: () => requireWholeFiles(root).map(({ article: { id } }) => id),
    check: async () => undefined,
    checkAtEnd: async () => {
      const next = await launch(root, { storeOnly: true });
      await expectNoneSoon(
        () => debris(root),
        'a start should remove all temporary files of an interrupted write',
      );
      await next.stop();
    },
  };
}

/** Three clones of one remote at level `push`. */
function threeClones(root: string, { deadline }: Attack): Place {
  const clones = makeRemote(root);
  const dirs = ['a', 'b', 'c'].map((name) => clones.clone(name));
  const requireIntact = (folder: string) =>
    expectEqual(gitIn(folder, 'fsck', '--full', '--no-dangling').trim(), '', 'git fsck should find nothing');
  return {
    dirs,
    launch: launchIn,
    articles: 5,
    mostDeliveries: 500,
    ms: episode(deadline, { least: 12_000, most: 30_000 }),
    interrupt: async () => {
      fs.renameSync(clones.remote, `${clones.remote}.away`);
      await setTimeout(OUTAGE_MS);
      fs.renameSync(`${clones.remote}.away`, clones.remote);
    },
    storedIds: () => [...clones.articles().values()].map((text) => /^id: "(.*)"$/m.exec(text)?.[1] ?? ''),
    check: async () => {
      requireIntact(clones.remote);
      const merges = clones.git('rev-list', '--merges', '--count', 'main').trim();
      expectEqual(merges, '0', 'the branch should have no merge commits');
      const tip = clones.git('rev-parse', 'main');
      for (const clone of dirs) {
        await until(
          'each clone should reach the commit of the remote',
          () => gitIn(clone, 'rev-parse', 'HEAD') === tip,
        );
        const changes = gitIn(clone, 'status', '--porcelain');
        expectEqual(changes, '', 'the files of each clone should be those of the branch');
        requireIntact(clone);
      }
    },
  };
}

async function blowStorms(
  attack: Attack,
  name: string,
  placeIn: (root: string, number: number) => Place,
): Promise<Counts> {
  const counts = { storms: 0, deliveries: 0, kills: 0, outages: 0 };
  do {
    const root = join(attack.dir, `storm-${counts.storms}`);
    fs.mkdirSync(root);
    await blowStorm(placeIn(root, counts.storms), `${name} ${counts.storms}`, attack, counts);
    fs.rmSync(root, { recursive: true });
    counts.storms++;
  } while (performance.now() < attack.deadline);
  return counts;
}

/** Sends deliveries of all kinds to receivers that are killed in turn. One order must explain all answers. */
function blowStorm(
  place: Place,
  name: string,
  { seed, note }: Attack,
  counts: { deliveries: number; kills: number; outages: number },
): Promise<void> {
  return withTeardown(async (t) => {
    const running: Receiver[] = [];
    const start = async (dir: string, slot: number) => {
      const receiver = await place.launch(dir);
      t.teardown(() => receiver.kill('SIGKILL'));
      running[slot] = receiver;
    };
    await Promise.all(place.dirs.map(start));
    const random = createRandom(`${name} killer`, seed);
    const storm = createStorm({
      random: createRandom(`${name} storm`, seed),
      clients: () => running,
      articles: place.articles,
      lanes: 2 + place.dirs.length,
    });

    async function killer(isOver: () => boolean): Promise<void> {
      do {
        const enough = storm.history.length + DELIVERIES_BETWEEN;
        await until('the receivers should answer', () => storm.history.length > enough || isOver());
        await setTimeout(random.next() * LONGEST_PAUSE_MS);
        const slot = random.integer(0, running.length);
        await running[slot]?.kill('SIGKILL');
        counts.kills++;
        note(`${name}: receiver ${slot} killed after ${storm.history.length} deliveries`);
        await start(place.dirs[slot] ?? '', slot);
        if (place.interrupt === undefined || random.chance(0.5)) continue;
        await place.interrupt();
        counts.outages++;
      } while (!isOver());
    }

    const enough = (isOver: () => boolean) => () =>
      storm.published.size > 0 && (isOver() || storm.history.length >= place.mostDeliveries);
    await runFor(place.ms, (isOver) => [storm.blow({ isOver: enough(isOver) }), killer(enough(isOver))]);
    await storm.lookAtAll(running);
    note(`${name}: ${running.length} receivers, ${storm.history.length} deliveries`);

    requireOneOrder(storm, place.storedIds());
    await place.check();
    for (const receiver of running)
      expectEqual(await receiver.stop(), 0, 'a receiver should end with 0 on SIGTERM');
    await place.checkAtEnd?.();
    counts.deliveries += storm.history.length;
  });
}

/** Requires that one order of a storm's deliveries explains all answers. @param ids those of the articles that are stored. */
function requireOneOrder({ history, published }: Storm, ids: readonly string[]): void {
  expectNone(
    notLinearizable(history),
    'one order of the deliveries should explain all answers about an article',
  );
  expectNone(doubled(ids), 'each article should be stored once');
  expectNone(
    [...published.keys()].filter((id) => !ids.includes(id)),
    'each acknowledged article should be stored',
  );
  expectTrue(published.size > 0, 'articles should be acknowledged between the kills');
  expectNone(doubled([...published.values()]), 'each article should have a URL of its own');
}
