import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Answer } from '../support/client.js';
import { gitIn, launchIn, makeRepository } from '../support/clones.js';
import { debris } from '../support/content.js';
import { article, type PublishedData, type UpdatedData, update } from '../support/events.js';
import { createFaults, type Faults } from '../support/faults.js';
import { createRandom, type Random } from '../support/random.js';
import type { Receiver } from '../support/receiver.js';
import { withTeardown } from '../support/teardown.js';
import { until } from '../support/until.js';
import { expectEqual, expectNone, expectNoneSoon, expectTrue } from './expect.js';
import { doubled, locksIn, ownCommits, requireWholeFiles } from './repository.js';
import { type Attack, BrokenPromise, type Scenario } from './scenario.js';

/** The durability of the attacked sites, in turn; `files` is a site without git. A short run has the one with most promises. */
const LEVELS = ['commit', 'files', 'disk'] as const;
type Level = (typeof LEVELS)[number];

/** After this many kills the whole site is checked and a new one is made. */
const KILLS_PER_SITE = 40;
const LANES = 4;
/** How many acknowledged articles are looked up after each start, besides those that wait for an answer. */
const LOOKED_UP = 8;
/** A receiver that is killed at a random moment is killed within this time after the first delivery. */
const LONGEST_MOMENT_MS: Readonly<Record<Level, number>> = { files: 120, disk: 600, commit: 600 };
/** A receiver that should kill itself at a call is killed after this time if it has not made that call. */
const LONGEST_ROUND_MS = 2_000;

const NO_KILLS = {
  kills: 0,
  killsDuringStart: 0,
  articlesAcknowledged: 0,
  updatesAcknowledged: 0,
  storedUnanswered: 0,
};

export const kill: Scenario = {
  name: 'kill',
  promise:
    'A killed receiver loses nothing that it has acknowledged; the next one removes unfinished files, and git catches up.',
  weight: 3,
  run: async (attack) => {
    const counts = { ...NO_KILLS };
    let site = 0;
    do {
      const level = LEVELS[site % LEVELS.length] ?? 'commit';
      await attackSite(`${level}-${site++}`, level, attack, counts);
    } while (performance.now() < attack.deadline);
    return counts;
  },
};

/** What the sender knows about one article. Only one lane sends deliveries for it. */
interface Known {
  readonly data: PublishedData;
  /** The text of the answer to the publication; undefined until it is acknowledged. */
  answer: string | undefined;
  url: string;
  /** The revision of the last acknowledged update; before the first one, a lookup finds the revision. */
  revision: string | undefined;
  html: string;
  /** The update that has no answer yet. */
  pending: UpdatedData | undefined;
  /** The revisions of all acknowledged updates. */
  readonly updates: string[];
}

/** Kills receivers on one site, starts them again, and checks what was acknowledged. */
async function attackSite(
  name: string,
  level: Level,
  attack: Attack,
  counts: typeof NO_KILLS,
): Promise<void> {
  const dir = join(attack.dir, name);
  const random = createRandom(`kill ${name}`, attack.seed);
  const git = level !== 'files';
  const settings = { site: false, ...(git ? { durability: level } : { git: false }) };
  if (git) makeRepository(dir, settings);
  else {
    fs.mkdirSync(dir);
    fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(settings));
  }
  const lanes = Array.from({ length: LANES }, (_, lane) => ({
    random: createRandom(`kill ${name} lane ${lane}`, attack.seed),
    articles: [] as Known[],
  }));
  const articles = () => lanes.flatMap((lane) => lane.articles);
  let kills = 0;

  await withTeardown(async (t) => {
    const faults = createFaults(t);
    const start = async () => {
      const receiver = await launchIn(dir, { ...faults.options, storeOnly: false });
      t.teardown(() => receiver.kill('SIGKILL'));
      return receiver;
    };
    do {
      const how = random.pick(['during its start', 'at a call', 'at a call', 'at a moment'] as const);
      const rule = {
        call: 'change',
        path: '',
        kill: true,
        when: random.pick(['before', 'after'] as const),
        times: 1,
      };
      counts.kills++;
      kills++;
      if (how === 'during its start') faults.set({ ...rule, skip: random.integer(0, 15) });
      else faults.clear();
      const receiver = await unlessKilled(start);
      if (receiver === undefined) {
        if (how !== 'during its start') throw new BrokenPromise(`the receiver should start again in ${dir}`);
        counts.killsDuringStart++;
        continue;
      }
      let hasEnded = false; // by itself, at a call after its first answer: then the next one removes its files
      void receiver.ended.then(() => {
        hasEnded = true;
      });
      await expectNoneSoon(
        () => (hasEnded ? [] : debris(dir)),
        'a start should remove all temporary files of an interrupted write',
      );
      const few = LOOKED_UP / Math.max(1, articles().length);
      const some = articles().filter(
        ({ answer, pending }) => answer === undefined || pending !== undefined || random.chance(few),
      );
      for (const known of some) if (await recheck(receiver, known)) counts.storedUnanswered++;

      if (how === 'at a call') faults.set({ ...rule, skip: random.integer(0, 60) });
      const working = Promise.all(lanes.map((lane) => deliverUntilRefused(receiver, lane)));
      if (how === 'at a moment') {
        await setTimeout(random.next() * LONGEST_MOMENT_MS[level]);
        await receiver.kill('SIGKILL');
      } else await awaitKill(receiver, faults);
      await working;
      attack.note(`${name}: killed ${how} (${rule.when}); ${articles().length} articles`);
      if (level === 'commit') expectCommitted(dir, articles(), ['--all']);
      // A slow machine may use up the time with kills during the start, before anything was delivered.
    } while (articles().length === 0 || (kills < KILLS_PER_SITE && performance.now() < attack.deadline));

    faults.clear();
    const last = await start();
    for (const known of articles()) {
      let isStored: boolean | undefined;
      await until('the last start should answer for each article', async () => {
        isStored = await recheck(last, known);
        return isStored !== undefined;
      });
      if (isStored) counts.storedUnanswered++;
    }
    if (git)
      await until('git should commit all stored articles', () => {
        return gitIn(dir, 'status', '--porcelain', '--', 'content') === '';
      });
    expectEqual(await last.stop(), 0, 'a receiver should end with 0 on SIGTERM');
  });

  const files = requireWholeFiles(dir);
  expectEqual(files.length, articles().length, 'only the delivered articles should be stored');
  if (git) {
    expectCommitted(dir, articles(), ['HEAD']);
    expectNone(
      doubled(ownCommits(dir).map(({ revision }) => revision)),
      'each revision should have one commit',
    );
    expectEqual(gitIn(dir, 'fsck', '--full', '--no-dangling'), '', 'git fsck should find nothing');
    // A git that a killed receiver has started goes on until its end.
    await expectNoneSoon(() => locksIn(dir), 'no lock file should be left in the repository');
  }
  // The last start has answered for each of them.
  counts.articlesAcknowledged += articles().length;
  counts.updatesAcknowledged += articles().flatMap(({ updates }) => updates).length;
  fs.rmSync(dir, { recursive: true });
}

/** Starts a receiver. @returns undefined if it was killed before its first answer. */
async function unlessKilled(start: () => Promise<Receiver>): Promise<Receiver | undefined> {
  try {
    return await start();
  } catch (error) {
    const { message } = error instanceof Error ? error : { message: '' };
    // It was killed by a signal (exit code null) before it was ready, or after that but before its first answer.
    if (/^the receiver ended with null: $|fetch failed/.test(message)) return undefined;
    throw error;
  }
}

/** Waits until a receiver has killed itself at a call; kills it if it does not make that call. */
async function awaitKill(receiver: Receiver, faults: Faults): Promise<void> {
  const timer = new AbortController();
  const timeout = setTimeout(LONGEST_ROUND_MS, undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([receiver.ended, timeout]);
  timer.abort();
  faults.clear();
  await receiver.kill('SIGKILL');
}

/** Sends a delivery. @returns undefined if the receiver was killed or answered 503. */
async function deliver(receiver: Receiver, event: string, data: unknown): Promise<Answer | undefined> {
  let answer: Answer;
  try {
    answer = await receiver.post(event, data);
  } catch (error) {
    if (error instanceof TypeError) return undefined; // fetch throws a TypeError when the connection breaks
    throw error;
  }
  if (answer.status === 503) return undefined;
  expectTrue(
    answer.status === 200,
    `${event} should be answered with 200, not with ${answer.status} ${answer.text}`,
  );
  return answer;
}

/** Publishes and updates, one delivery at a time, until one is not acknowledged. */
async function deliverUntilRefused(
  receiver: Receiver,
  { random, articles }: { readonly random: Random; readonly articles: Known[] },
): Promise<void> {
  for (;;) {
    const unanswered = articles.find(({ answer, pending }) => answer === undefined || pending !== undefined);
    const known =
      unanswered ?? (articles.length > 0 && random.chance(0.5) ? random.pick(articles) : create());
    if (known.answer === undefined) {
      if (!(await publish(receiver, known))) return;
    } else if (known.revision === undefined) {
      if ((await recheck(receiver, known)) === undefined) return;
    } else {
      const { data, url: target_url, revision: base_revision_id } = known;
      known.pending ??= update({ target_id: data.id, target_url, base_revision_id });
      if ((await deliver(receiver, 'article.updated', known.pending)) === undefined) return;
      settle(known, known.pending);
    }
  }

  function create(): Known {
    const data = article({ slug: 'bees' });
    const known = { data, answer: undefined, url: '', revision: undefined, html: data.content_html };
    const made = { ...known, pending: undefined, updates: [] };
    articles.push(made);
    return made;
  }
}

async function publish(receiver: Receiver, known: Known): Promise<boolean> {
  const answer = await deliver(receiver, 'article.published', known.data);
  if (answer === undefined) return false;
  if (known.answer !== undefined)
    expectEqual(answer.text, known.answer, 'a redelivery should get the same answer as the publication');
  known.answer = answer.text;
  known.url = answer.json.url;
  return true;
}

function settle(known: Known, { revision_id, content_html }: UpdatedData): void {
  known.revision = revision_id;
  known.html = content_html;
  known.pending = undefined;
  known.updates.push(revision_id);
}

/**
 * Requires that an article has its acknowledged content, or that of the update without an answer, and sends again what
 * had no answer.
 *
 * @returns whether the update without an answer was stored; undefined if a delivery was not acknowledged.
 */
async function recheck(receiver: Receiver, known: Known): Promise<boolean | undefined> {
  if (!(await publish(receiver, known))) return undefined;
  const answer = await deliver(receiver, 'article.lookup', { target_url: known.url });
  if (answer === undefined) return undefined;
  const { target } = answer.json;
  known.revision ??= target.revision_id;
  const { pending } = known;
  const isStored = pending !== undefined && target.revision_id === pending.revision_id;
  const { revision_id, content_html } = isStored
    ? pending
    : { revision_id: known.revision, content_html: known.html };
  expectEqual(
    { id: target.id, url: target.url, revision_id: target.revision_id, content_html: target.content_html },
    { id: known.data.id, url: known.url, revision_id, content_html },
    'an article should have its acknowledged content, or that of an update without an answer',
  );
  if (pending === undefined) return false;
  if ((await deliver(receiver, 'article.updated', pending)) === undefined) return undefined;
  settle(known, pending);
  return isStored;
}

/** Requires a commit for each acknowledged publication and update. */
function expectCommitted(dir: string, articles: readonly Known[], range: readonly string[]): void {
  const commits = ownCommits(dir, ...range);
  const published = new Set(commits.filter(({ kind }) => kind === 'Publish').map((one) => one.article));
  const revisions = new Set(commits.map(({ revision }) => revision));
  const stored = articles.filter(({ answer }) => answer !== undefined).map(({ data }) => data.id);
  expectNone(
    stored.filter((id) => !published.has(id)),
    'each acknowledged publication should have its commit',
  );
  expectNone(
    articles.flatMap(({ updates }) => updates).filter((revision) => !revisions.has(revision)),
    'each acknowledged update should have its commit',
  );
}
