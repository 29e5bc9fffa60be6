import fs from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gitIn, launchIn, makeRemote } from '../support/clones.js';
import { fileOf, revisionOf } from '../support/content.js';
import { article, update } from '../support/events.js';
import { notLinearizable } from '../support/linearizable.js';
import { createRandom } from '../support/random.js';
import type { Receiver } from '../support/receiver.js';
import { createStorm } from '../support/storm.js';
import { until } from '../support/until.js';
import { expectEqual, expectNone, expectTrue } from './expect.js';
import { episode, runFor } from './lanes.js';
import { doubled } from './repository.js';
import type { Attack, Scenario } from './scenario.js';
import { withTeardown } from './teardown.js';

/** With more deliveries in one storm, the search for an order takes too long. */
const MOST_DELIVERIES = 500;
/** How long the remote cannot be reached in an outage. */
const OUTAGE_MS = 1_000;

export const machines: Scenario = {
  name: 'machines',
  promise:
    'Several machines with clones of one git remote act as one, even if machines are killed and the remote is unavailable, and no update loses an edit.',
  weight: 3,
  run: async (attack) => {
    const counts = { storms: 0, deliveries: 0, kills: 0, outages: 0, edits: 0, updatesAmongEdits: 0 };
    do {
      const ms = episode(attack.deadline, { least: 12_000, most: 60_000 }) / 2;
      const storm = await attackStorm(counts.storms, ms, attack);
      counts.deliveries += storm.deliveries;
      counts.kills += storm.kills;
      counts.outages += storm.outages;
      const among = await attackEdits(counts.storms, ms, attack);
      counts.edits += among.edits;
      counts.updatesAmongEdits += among.updates;
      counts.storms++;
    } while (performance.now() < attack.deadline);
    if (counts.edits === 0 || counts.updatesAmongEdits === 0)
      throw new Error(
        `nothing was tested: ${counts.edits} edits, ${counts.updatesAmongEdits} updates among them`,
      );
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

    expectNone(
      notLinearizable(storm.history),
      'one order of the deliveries should explain all answers about an article',
    );
    const remoteIds = [...clones.articles().values()].map((text) => /^id: "(.*)"$/m.exec(text)?.[1] ?? '');
    expectNone(doubled(remoteIds), 'each article should be on the remote once');
    expectNone(
      [...storm.published.keys()].filter((id) => !remoteIds.includes(id)),
      'each acknowledged article should be on the remote',
    );
    expectTrue(storm.published.size > 0, 'articles should be acknowledged between the kills');
    expectNone(doubled([...storm.published.values()]), 'each article should have a URL of its own');
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

/** People edit articles in two clones while updates arrive: each version must be made from the version before it. */
function attackEdits(number: number, ms: number, { dir, seed, note }: Attack) {
  return withTeardown(async (t) => {
    const root = join(dir, `edits-${number}`);
    fs.mkdirSync(root);
    const remote = makeRemote(root, undefined, { git: { commitEdits: true, push: { fetchEvery: 300 } } });
    const [a, b] = [await launchIn(remote.clone('a')), await launchIn(remote.clone('b'))];
    const both = [a, b];
    for (const { kill } of both) t.teardown(() => kill('SIGKILL'));
    const articles = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const data = article();
        const { url } = (await a.post('article.published', data)).json;
        return { id: data.id, url, path: relative(a.dir, fileOf(a.dir, data.id)) };
      }),
    );
    await until('the other clone should have each article', () =>
      articles.every(({ path }) => fs.existsSync(join(b.dir, path))),
    );

    /** The base revision of each update that was sent, acknowledged or not. */
    const bases = new Map<string, string>();
    const acknowledged = new Set<string>();
    let updates = 0;
    let words = 0;

    async function service(machine: Receiver, index: number, isOver: () => boolean): Promise<void> {
      const random = createRandom(`machines edits ${number} service ${index}`, seed);
      const { id, url } = articles[index % articles.length] ?? { id: '', url: '' };
      while (!isOver()) {
        await setTimeout(random.next() * 6_000);
        const found = await machine.post('article.lookup', { target_url: url });
        if (found.status !== 200) continue;
        const base = found.json.target.revision_id;
        const request = update({ target_id: id, target_url: url, base_revision_id: base });
        bases.set(request.id, base);
        const { status } = await machine.post('article.updated', request);
        note(`${request.id} of ${base}: ${status}`);
        if (status !== 200) continue;
        acknowledged.add(request.id);
        updates++;
      }
    }

    async function person(folder: string, index: number, isOver: () => boolean): Promise<void> {
      const random = createRandom(`machines edits ${number} person ${folder.at(-1)} ${index}`, seed);
      const { path } = articles[index] ?? { path: '' };
      while (!isOver()) {
        fs.appendFileSync(join(folder, path), `words ${++words} of ${folder}\n`);
        await setTimeout(1_000 + random.next() * 4_000);
        // usually the person discards their text, so that the clone can follow the remote again
        if (!random.chance(0.7)) continue;
        try {
          gitIn(folder, 'restore', path);
        } catch {
          // Pressmark holds the lock of the index
        }
        await setTimeout(1_000);
      }
    }

    await runFor(ms, (isOver) => [
      ...both.flatMap((machine) => articles.map((_, index) => service(machine, index, isOver))),
      ...both.flatMap((machine) => articles.map((_, index) => person(machine.dir, index, isOver))),
    ]);
    const editCommits = () =>
      remote
        .git('log', '--format=%s', 'main')
        .split('\n')
        .filter((line) => line.startsWith('Edit: ')).length;
    await until('at least one edit should be committed and pushed', () => editCommits() > 0);
    for (const machine of both)
      expectEqual(await machine.stop(), 0, 'a receiver should end with 0 on SIGTERM');

    for (const { path } of articles) {
      let before = '';
      for (const line of remote
        .git('log', '--reverse', '--format=%H %s', 'main', '--', path)
        .trim()
        .split('\n')) {
        const [commit = '', kind] = line.split(' ');
        const text = remote.git('show', `${commit}:${path}`);
        const revision = revisionOf(text);
        if (kind === 'Update:')
          expectEqual(
            revisionOf(before),
            bases.get(revision),
            'an update should replace the version that it was made from',
          );
        if (kind === 'Edit:') {
          expectEqual(
            bodyOf(text),
            bodyOf(before),
            `an edit should be made from the version before it (${commit})`,
          );
          const author = authorOf(wordsOf(text).at(-1));
          const missing = wordsOf(before).filter((one) => !wordsOf(text).includes(one));
          // a person may remove their own words, see `git restore` above
          expectNone(
            missing.filter((one) => authorOf(one) !== author),
            `an edit should keep the words of other people (${commit})`,
          );
        }
        acknowledged.delete(revision);
        before = text;
      }
    }
    expectNone([...acknowledged], 'each acknowledged update should be in the history of the remote');
    expectEqual(remote.git('fsck', '--full', '--no-dangling'), '', 'git fsck should find nothing');
    const edits = editCommits();
    fs.rmSync(root, { recursive: true });
    return { edits, updates };
  });
}

/** The lines that people have added. */
function wordsOf(text: string): string[] {
  return text.split('\n').filter((line) => line.startsWith('words '));
}

function authorOf(line = ''): string {
  return line.replace(/^words \d+ of /, '');
}

/** A text without the lines that people have added. */
function bodyOf(text: string): string {
  return text.replace(/(?:words \d+ of .+\n)+$/, '');
}
