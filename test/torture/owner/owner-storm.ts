import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { update } from '../../support/events.js';
import type { Random } from '../../support/random.js';
import { until } from '../../support/until.js';
import { expectEqual, expectNone, expectTrue } from '../expect.js';
import { runFor } from '../lanes.js';
import { doubled, locksIn } from '../repository.js';
import { withTeardown } from '../teardown.js';
import { branchHistory } from './branch-history.js';
import { makeOwnerSite, type OwnerSite } from './owner-site.js';

export interface OwnerStormOptions {
  /** A folder that is not there yet. */
  readonly root: string;
  readonly random: Random;
  /** How long is delivered and killed. */
  readonly ms: number;
  note(line: string): void;
}

export interface OwnerStormCounts {
  readonly articles: number;
  readonly updates: number;
  readonly notes: number;
  readonly rebases: number;
  readonly kills: number;
}

/** The owner does each thing at least once: a commit, an amended one, a rebase. */
const FEWEST_TURNS = 6;

/**
 * Two receivers publish and update beside an owner who commits, amends and rebases; the receivers and their git
 * commands are killed. Requires one commit for everything acknowledged, and that nothing of the owner's is touched.
 */
export function attackBesideOwner(options: OwnerStormOptions): Promise<OwnerStormCounts> {
  return withTeardown(async (t) => {
    const site = await makeOwnerSite(t, { root: options.root, receivers: 2 });
    const done = await deliverAndKill(site, options);
    await requireAllCommitted(site, done);
    const { acknowledged, updated, noted, rebases, kills } = done;
    // A storm without them would prove nothing.
    if (rebases === 0 || kills === 0 || acknowledged.size === 0)
      throw new Error(`nothing tested: ${acknowledged.size} articles, ${kills} kills, ${rebases} rebases`);
    return {
      articles: acknowledged.size,
      updates: updated.size,
      notes: noted.size,
      rebases,
      kills,
    };
  });
}

interface Done {
  /** The ids of the articles that were acknowledged. */
  readonly acknowledged: Set<string>;
  /** The revisions of the updates that were acknowledged. */
  readonly updated: Set<string>;
  /** What the owner has committed. */
  readonly noted: Set<string>;
  readonly rebases: number;
  readonly kills: number;
}

async function deliverAndKill(site: OwnerSite, { random, ms, note }: OwnerStormOptions): Promise<Done> {
  const { dir, receivers } = site;
  const acknowledged = new Set<string>();
  const updated = new Set<string>();
  const noted = new Set<string>();
  let kills = 0;
  let rebases = 0;
  /** Whether nobody begins to deliver or to kill. */
  let isCalm = false;
  /** What was begun before it was calm. */
  let underWay = 0;

  /** Does one thing of what must not begin while it is calm. */
  async function unlessCalm(work: () => Promise<void>): Promise<void> {
    while (isCalm) await setTimeout(10);
    underWay++;
    await work().finally(() => {
      underWay--;
    });
  }

  /** Publishes, and updates every other article. */
  async function publisher(slot: number, isOver: () => boolean): Promise<void> {
    for (let n = 0; !isOver(); n++) {
      const id = `${slot}-${n}`;
      let url = '';
      await unlessCalm(async () => {
        url = await site.publish(slot, id);
        acknowledged.add(id);
      });
      if (n % 2 === 1) await unlessCalm(() => updateOnce(slot, url));
    }
  }

  async function updateOnce(slot: number, url: string): Promise<void> {
    try {
      const target = await receivers[slot]?.find(url);
      if (target === undefined) return;
      const over = { target_id: target.id, target_url: target.url, base_revision_id: target.revision_id };
      const change = update(over);
      const answer = await receivers[slot]?.post('article.updated', change);
      if (answer?.status === 200) updated.add(change.revision_id);
    } catch {
      // killed, or the owner's rebase has the file away just now: the service would try again
    }
  }

  async function owner(isOver: () => boolean): Promise<void> {
    for (let n = 0; !isOver() || n < FEWEST_TURNS; n++) {
      await appendFile(join(dir, 'notes.txt'), `note ${n}\n`);
      await writeFile(join(dir, 'draft.txt'), `not to be committed, ${n}\n`);
      await site.insist('add', 'notes.txt');
      await site.insist('commit', '-q', '-m', `Note ${n}`, '--', 'notes.txt');
      noted.add(`note ${n}`);
      if (n % 3 === 1) await site.insist('commit', '-q', '--amend', '-m', `Note ${n}, amended`);
      if (n % 6 === 2) await rebaseInTheCalm(n === 2);
      if (n % 6 === 5 && (await site.rebase())) rebases++;
      await setTimeout(30);
    }
  }

  /**
   * Git begins no rebase while a stored update waits for its commit, as one nearly always does. So deliveries and kills
   * wait for its beginning; for the end of the first one, too, so that there is one in every storm.
   */
  async function rebaseInTheCalm(toItsEnd: boolean): Promise<void> {
    isCalm = true;
    let isDone = false;
    try {
      await until('what is under way should end', () => underWay === 0);
      await site.caughtUp();
      isDone = await site.rebase(() => {
        isCalm = toItsEnd;
      });
    } finally {
      isCalm = false;
    }
    if (isDone) rebases++;
    note(`rebase ${isDone ? 'done' : 'refused or given up'}`);
  }

  async function killer(isOver: () => boolean): Promise<void> {
    for (let n = 0; !isOver(); n++) {
      await setTimeout(200 + random.next() * 400);
      await unlessCalm(() => site.kill(n));
      kills++;
      note(`kill ${n}`);
    }
  }

  await runFor(ms, (isOver) => [publisher(0, isOver), publisher(1, isOver), owner(isOver), killer(isOver)]);
  return { acknowledged, updated, noted, rebases, kills };
}

async function requireAllCommitted(site: OwnerSite, { acknowledged, updated, noted }: Done): Promise<void> {
  const { dir, receivers, git } = site;
  const pathOf = (id: string) => `content/articles/2026/11/${id}.md`;
  await site.caughtUp();
  for (const receiver of receivers)
    expectEqual(await receiver?.stop(), 0, 'a receiver should end with 0 on SIGTERM');

  const inHead = new Set((await git('ls-tree', '-r', '-z', '--name-only', 'HEAD', 'content/')).split('\0'));
  expectNone(
    [...acknowledged].filter((id) => !inHead.has(pathOf(id))),
    'each acknowledged article should be in HEAD',
  );
  expectEqual(
    await git('status', '--porcelain'),
    '?? draft.txt\n',
    'nothing but the owner’s draft should be uncommitted',
  );
  expectEqual(await git('fsck', '--full', '--strict', '--no-dangling'), '', 'git fsck should find nothing');
  expectEqual(
    await git('for-each-ref', '--format=%(refname)'),
    'refs/heads/main\n',
    'no ref should be left but the branch',
  );
  expectNone(locksIn(dir), 'no lock file should be left in the repository');
  const notes = new Set((await git('show', 'HEAD:notes.txt')).split('\n'));
  expectNone(
    [...noted].filter((line) => !notes.has(line)),
    'each of the owner’s notes should be in HEAD',
  );

  const { articles, others } = await branchHistory(site);
  expectNone(
    articles.filter(
      ({ files }) => files.length !== 1 || !/^content\/articles\/2026\/11\/[\d-]+\.md$/.test(files.join()),
    ),
    'each commit of Pressmark should hold one article and nothing else',
  );
  expectNone(
    others.filter(({ files }) => files.some((name) => name === 'draft.txt' || name.startsWith('content/'))),
    'no commit of the owner should hold an article or the draft',
  );
  const revisions = articles.map(({ revision }) => revision);
  expectNone(doubled(revisions), 'each revision should have one commit');
  expectNone(
    [...updated].filter((revision) => !revisions.includes(revision)),
    'each acknowledged update should have its commit, also where a later one has replaced it',
  );
  const publications = new Set(
    articles.filter(({ revision }) => revision.startsWith('rev-')).map(({ files }) => files[0]),
  );
  expectNone(
    [...acknowledged].filter((id) => !publications.has(pathOf(id))),
    'each acknowledged publication should have its commit',
  );
  expectTrue(notes.size > 0, 'the owner should be able to commit');
}
