import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Answer } from '../support/client.js';
import { gitIn, launchIn } from '../support/clones.js';
import { articleFiles, debris, readStored } from '../support/content.js';
import { article, type PublishedData, type UpdatedData, update } from '../support/events.js';
import { createFaults, type Faults } from '../support/faults.js';
import { createRandom, type Random } from '../support/random.js';
import type { Receiver } from '../support/receiver.js';
import { until } from '../support/until.js';
import { expectEqual, expectNone, expectNoneSoon, expectTrue } from './expect.js';
import { doubled, locksIn, makeRepository, ownCommits } from './repository.js';
import { type Attack, BrokenPromise, type Counts, type Scenario } from './scenario.js';
import { withTeardown } from './teardown.js';

/** What an answer waits for; each is attacked on a site of its own. */
const LEVELS = ['files', 'disk', 'commit'] as const;
type Level = (typeof LEVELS)[number];

/** After so many kills everything is checked, and a new site is made. */
const KILLS_PER_SITE = 40;
const LANES = 4;
/** How many acknowledged articles are looked up after each start, besides those that wait for an answer. */
const LOOKED_UP = 8;
/** Within this time of deliveries a receiver is killed by the clock. */
const MOMENTS_MS: Readonly<Record<Level, number>> = { files: 120, disk: 600, commit: 600 };
/** The receiver that is to kill itself at a call has made that call after this time, or makes it never. */
const LONGEST_ROUND_MS = 2_000;

export const kill: Scenario = {
  name: 'kill',
  promise:
    'A killed receiver loses nothing it has acknowledged, leaves nothing half done, and git catches up.',
  weight: 3,
  run: async (attack) => {
    const all = await Promise.all(LEVELS.map((level) => attackLevel(level, attack)));
    return all.reduce((sum, counts) => added(sum, counts));
  },
};

interface KillCounts extends Counts {
  readonly kills: number;
  readonly killsDuringStart: number;
  readonly articlesAcknowledged: number;
  readonly updatesAcknowledged: number;
  readonly landedUnanswered: number;
}

function added(one: KillCounts, other: KillCounts): KillCounts {
  return {
    kills: one.kills + other.kills,
    killsDuringStart: one.killsDuringStart + other.killsDuringStart,
    articlesAcknowledged: one.articlesAcknowledged + other.articlesAcknowledged,
    updatesAcknowledged: one.updatesAcknowledged + other.updatesAcknowledged,
    landedUnanswered: one.landedUnanswered + other.landedUnanswered,
  };
}

async function attackLevel(level: Level, attack: Attack): Promise<KillCounts> {
  let sum: KillCounts | undefined;
  for (let site = 0; sum === undefined || performance.now() < attack.deadline; site++) {
    const counts = await attackSite(`${level}-${site}`, level, attack);
    sum = sum === undefined ? counts : added(sum, counts);
  }
  return sum;
}

/** What is known of one article; one lane alone writes to it. */
interface Known {
  readonly data: PublishedData;
  /** The answer to its publication, once there was one. */
  answer: string | undefined;
  url: string;
  /** Of the last update that was acknowledged; of the publication, a lookup tells it. */
  revision: string | undefined;
  html: string;
  /** The update whose answer never came. */
  pending: UpdatedData | undefined;
  /** The revisions of all updates that were acknowledged. */
  readonly updates: string[];
}

/** Kills receivers on one site, starts them again, and checks what was acknowledged. */
async function attackSite(name: string, level: Level, attack: Attack): Promise<KillCounts> {
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
  const counts = { kills: 0, killsDuringStart: 0, landedUnanswered: 0 };

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
      if (how === 'during its start') faults.set({ ...rule, skip: random.integer(0, 15) });
      else faults.clear();
      const receiver = await unlessKilled(start);
      if (receiver === undefined) {
        if (how !== 'during its start') throw new BrokenPromise(`the receiver should start again in ${dir}`);
        counts.killsDuringStart++;
        continue;
      }
      await expectNoneSoon(
        () => debris(dir),
        'a start should remove all that an interrupted write has left behind',
      );
      const few = LOOKED_UP / Math.max(1, articles().length);
      const some = articles().filter(
        ({ answer, pending }) => answer === undefined || pending !== undefined || random.chance(few),
      );
      for (const known of some) if (await recheck(receiver, known)) counts.landedUnanswered++;

      if (how === 'at a call') faults.set({ ...rule, skip: random.integer(0, 60) });
      const working = Promise.all(lanes.map((lane) => deliverUntilGone(receiver, lane)));
      if (how === 'at a moment') {
        await setTimeout(random.next() * MOMENTS_MS[level]);
        await receiver.kill('SIGKILL');
      } else await killedItself(receiver, faults);
      await working;
      attack.note(`${name}: killed ${how} (${rule.when}); ${articles().length} articles`);
      if (level === 'commit') expectCommitted(dir, articles(), ['--all']);
    } while (counts.kills < KILLS_PER_SITE && performance.now() < attack.deadline);

    faults.clear();
    const last = await start();
    for (const known of articles()) if (await recheck(last, known)) counts.landedUnanswered++;
    if (git)
      await until('git should commit all that is stored', () => {
        return gitIn(dir, 'status', '--porcelain', '--', 'content') === '';
      });
    expectEqual(await last.stop(), 0, 'a receiver should end with 0 on SIGTERM');
  });

  const files = articleFiles(dir).map(readStored);
  expectNone(doubled(files.map(({ article: { id } }) => id)), 'each article should be stored once');
  expectEqual(files.length, articles().length, 'nothing but the delivered articles should be stored');
  expectNone(
    files.filter(({ edited, bodyEdited }) => edited || bodyEdited).map(({ article: { id } }) => id),
    'each file should be whole: its digest matches',
  );
  if (git) {
    expectCommitted(dir, articles(), ['HEAD']);
    expectNone(
      doubled(ownCommits(dir).map(({ revision }) => revision)),
      'each revision should have one commit',
    );
    expectEqual(gitIn(dir, 'fsck', '--full', '--no-dangling'), '', 'git fsck should find nothing');
    expectNone(locksIn(dir), 'no lock file should be left in the repository');
  }
  const acknowledged = articles().filter(({ answer }) => answer !== undefined);
  const updates = articles().flatMap((known) => known.updates);
  expectTrue(acknowledged.length > 0, 'the receiver should acknowledge deliveries between the kills');
  fs.rmSync(dir, { recursive: true });
  return { ...counts, articlesAcknowledged: acknowledged.length, updatesAcknowledged: updates.length };
}

/** Starts a receiver; undefined where it was killed before it answered. */
async function unlessKilled(start: () => Promise<Receiver>): Promise<Receiver | undefined> {
  try {
    return await start();
  } catch (error) {
    const { message } = error instanceof Error ? error : { message: '' };
    // Killed by a signal before it was ready, or between that and its first answer.
    if (/^the receiver ended with null: $|fetch failed/.test(message)) return undefined;
    throw error;
  }
}

/** Waits for the end of a receiver that kills itself at a call; where it does not come to that call, it is killed. */
async function killedItself(receiver: Receiver, faults: Faults): Promise<void> {
  const late = new AbortController();
  const timeout = setTimeout(LONGEST_ROUND_MS, undefined, { signal: late.signal }).catch(() => undefined);
  await Promise.race([receiver.ended, timeout]);
  late.abort();
  faults.clear();
  await receiver.kill('SIGKILL');
}

/** Sends a delivery; undefined where the receiver was killed, or could not take it now and says so. */
async function deliver(receiver: Receiver, event: string, data: unknown): Promise<Answer | undefined> {
  let answer: Answer;
  try {
    answer = await receiver.post(event, data);
  } catch (error) {
    if (error instanceof TypeError) return undefined; // the connection broke
    throw error;
  }
  if (answer.status === 503) return undefined;
  expectTrue(
    answer.status === 200,
    `${event} should be answered with 200, not with ${answer.status} ${answer.text}`,
  );
  return answer;
}

/** Publishes and updates, one delivery after the other, until the receiver is gone. */
async function deliverUntilGone(
  receiver: Receiver,
  { random, articles }: { readonly random: Random; readonly articles: Known[] },
): Promise<void> {
  for (;;) {
    const open = articles.find(({ answer, pending }) => answer === undefined || pending !== undefined);
    const known = open ?? (articles.length > 0 && random.chance(0.5) ? random.pick(articles) : create());
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
    expectEqual(answer.text, known.answer, 'a redelivery should be answered as the publication was');
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
 * Requires an article to be as it was acknowledged, or as the unanswered update made it, and sends again what had no
 * answer. @returns whether that update had landed; undefined where the receiver was killed meanwhile.
 */
async function recheck(receiver: Receiver, known: Known): Promise<boolean | undefined> {
  if (!(await publish(receiver, known))) return undefined;
  const answer = await deliver(receiver, 'article.lookup', { target_url: known.url });
  if (answer === undefined) return undefined;
  const { target } = answer.json;
  known.revision ??= target.revision_id;
  const { pending } = known;
  const landed = pending !== undefined && target.revision_id === pending.revision_id;
  const { revision_id, content_html } = landed
    ? pending
    : { revision_id: known.revision, content_html: known.html };
  expectEqual(
    { id: target.id, url: target.url, revision_id: target.revision_id, content_html: target.content_html },
    { id: known.data.id, url: known.url, revision_id, content_html },
    'an article should be as it was acknowledged, or as an unanswered update made it',
  );
  if (pending === undefined) return false;
  if ((await deliver(receiver, 'article.updated', pending)) === undefined) return undefined;
  settle(known, pending);
  return landed;
}

/** Requires a commit for everything that was acknowledged. */
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
