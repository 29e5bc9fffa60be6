import fs from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { articleFiles, namesIn } from '../support/content.js';
import { article, update } from '../support/events.js';
import { createFaults } from '../support/faults.js';
import { createRandom } from '../support/random.js';
import { launch, type Receiver, run, SITE_URL } from '../support/receiver.js';
import { killBuilds, type SiteKills } from '../support/site-kills.js';
import { expectNone, expectTrue } from './expect.js';
import { type Attack, BrokenPromise, type Counts, type Scenario } from './scenario.js';
import { withTeardown } from './teardown.js';

/** How many articles are published before the first kill: enough that each delivery changes several pages. */
const ARTICLES = 6;
/** With more articles, a build would take too long to end before the next kill. */
const MOST_ARTICLES = 40;
/** A receiver that is not killed at a change is killed within this time. */
const LONGEST_MOMENT_MS = 1_500;
/** Longer than any build of this site takes on a busy machine. */
const PATIENCE_MS = 60_000;
const SETTINGS = { git: false, site: { pageSize: 2, search: false } };

export const site: Scenario = {
  name: 'site',
  promise:
    'Whenever a receiver is killed during a build, no page is incomplete or empty, and the next receiver makes the same site as a clean build.',
  weight: 1,
  run: async (attack) => {
    const now = performance.now();
    const half = now + (attack.deadline - now) / 2;
    const builders = join(attack.dir, 'builders');
    fs.mkdirSync(builders);
    const random = createRandom('site builders', attack.seed);
    const isOver = ({ during, after }: SiteKills) => during + after > 0 && performance.now() > half;
    const killed = await killBuilds(builders, random, isOver);
    return {
      builderKillsDuringBuild: killed.during,
      builderKillsAfter: killed.after,
      ...(await attackBuilds(attack)),
    };
  },
};

function attackBuilds({ dir: root, random, deadline, note }: Attack): Promise<Counts> {
  return withTeardown(async (t) => {
    const dir = join(root, 'site');
    fs.mkdirSync(dir);
    fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(SETTINGS));
    const faults = createFaults(t);
    const start = async () => {
      const receiver = await launch(dir, { ...faults.options, storeOnly: false });
      t.teardown(() => receiver.kill('SIGKILL'));
      return receiver;
    };
    const urls: string[] = [];
    const counts = { kills: 0, killsDuringBuild: 0, deliveries: 0, pagesCompared: 0, foundWhole: 0 };

    async function deliver({ post, find }: Receiver): Promise<void> {
      const tags = [`tag ${random.integer(0, 4)}`];
      const isNew = urls.length < ARTICLES || (urls.length < MOST_ARTICLES && random.chance(0.3));
      if (isNew) {
        const date = `2026-11-${random.integer(10, 29)}T08:00:00Z`;
        const answer = await post('article.published', article({ tags, published_at: date }));
        if (answer.status === 200) urls.push(answer.json.url);
      } else {
        const url = random.pick(urls);
        const { id, revision_id: base } = await find(url);
        const over = { target_id: id, target_url: url, base_revision_id: base };
        await post('article.updated', update(over, { tags }));
      }
      counts.deliveries++;
    }

    /** Delivers until the receiver has ended. */
    async function deliverUntilEnd(receiver: Receiver): Promise<void> {
      try {
        for (;;) {
          await deliver(receiver);
          await setTimeout(random.integer(0, 100));
        }
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // fetch throws a TypeError when the connection breaks
      }
    }

    const first = await start();
    for (let n = 0; n < ARTICLES; n++) await deliver(first);
    await first.stop();
    do {
      const receiver = await start();
      const atChange = random.chance(0.85);
      if (atChange) {
        const when = random.pick(['before', 'after'] as const);
        const skip = random.integer(0, 40);
        faults.set({ call: 'change', path: '/public/', kill: true, when, skip, times: 1 });
        note(`kill ${counts.kills}: ${when} change ${skip} of the pages`);
      }
      const delivering = deliverUntilEnd(receiver);
      const moment = setTimeout(atChange ? PATIENCE_MS : random.next() * LONGEST_MOMENT_MS, undefined, {
        ref: false,
      });
      await Promise.race([receiver.ended, moment]);
      await receiver.kill('SIGKILL');
      await delivering;
      counts.kills++;
      if (atChange) counts.killsDuringBuild++;
      faults.clear();
      counts.foundWhole += requireWhole(join(dir, 'public'));

      // the articles may change before the next receiver starts, so that the interrupted build is out of date
      const path = random.pick(articleFiles(dir));
      if (random.chance(0.3)) fs.appendFileSync(path, 'Words of its owner.\n');
      const next = await start();
      counts.pagesCompared += await requireSameAsClean(dir, join(root, `clean-${counts.kills}`));
      await next.stop();
    } while (performance.now() < deadline);
    return counts;
  });
}

/** Requires that no file of the site is empty or incomplete. @returns the number of files. */
function requireWhole(output: string): number {
  const texts = filesOf(output);
  expectNone(
    [...texts]
      .filter(([name, text]) => !isWhole(name, text))
      .map(([name, text]) => `${name} (${text.length} bytes)`),
    'each file of the site should be complete after a builder was killed',
  );
  return texts.size;
}

function isWhole(name: string, text: string): boolean {
  if (text === '') return false;
  if (name.endsWith('.html')) return /<\/html>\s*$/.test(text);
  if (name.endsWith('.xml')) return />\s*$/.test(text);
  if (name.endsWith('.json')) return /[}\]]\s*$/.test(text);
  return true;
}

/** The contents of a site's files by name, without the builder's temporary files, which are never served. */
function filesOf(output: string): Map<string, string> {
  const names = namesIn(output).filter((name) => !/(?:^|\/)\.pressmark-/.test(name));
  const texts = new Map<string, string>();
  for (const name of names) {
    const path = join(output, name);
    try {
      if (fs.statSync(path).isFile()) texts.set(name, fs.readFileSync(path, 'latin1'));
    } catch {
      // a running builder has removed it since `namesIn`
    }
  }
  return texts;
}

/** Waits until the site equals a build of the same articles in another folder. @returns the number of files. */
async function requireSameAsClean(dir: string, elsewhere: string): Promise<number> {
  fs.mkdirSync(elsewhere);
  for (const name of ['pressmark.config.json', 'content'])
    fs.cpSync(join(dir, name), join(elsewhere, name), { recursive: true, preserveTimestamps: true });
  const built = await run(['build', '--dir', elsewhere], { PRESSMARK_SITE_URL: SITE_URL, HOME: elsewhere });
  expectTrue(built.code === 0, `a clean build should succeed: ${built.stderr}`);
  const expected = filesOf(join(elsewhere, 'public'));
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = filesOf(join(dir, 'public'));
    const differing = [...new Set([...found.keys(), ...expected.keys()])].filter(
      (name) => found.get(name) !== expected.get(name),
    );
    if (differing.length === 0) break;
    if (performance.now() > end)
      throw new BrokenPromise(
        `within 60 s of the next start the site should equal a clean build (${relative(join(dir, '..'), elsewhere)}); these files differ: ${differing.join(', ')}`,
      );
    await setTimeout(50);
  }
  fs.rmSync(elsewhere, { recursive: true });
  return expected.size;
}
