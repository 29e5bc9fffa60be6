import fs from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { revisionOf } from '../../support/content.js';
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
  /** A folder that does not exist yet. */
  readonly root: string;
  readonly random: Random;
  /** How long the storm lasts. */
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

/** In this many turns the owner commits, amends and rebases at least once. */
const FEWEST_TURNS = 6;

/**
 * Two receivers publish and update while the owner of the repository commits, amends and rebases, and while receivers
 * and their git commands are killed. Requires one commit for each acknowledged delivery, or its text in a file below
 * `.pressmark/replaced/` if an update has replaced it, and intact work of the owner.
 */
export function attackBesideOwner(options: OwnerStormOptions): Promise<OwnerStormCounts> {
  return withTeardown(async (t) => {
    const site = await makeOwnerSite(t, { root: options.root, receivers: 2 });
    const done = await deliverAndKill(site, options);
    await requireAllCommitted(site, done);
    const { acknowledged, updated, noted, rebases, kills } = done;
    // A storm without any of these would prove nothing.
    if (rebases === 0 || kills === 0 || acknowledged.size === 0)
      throw new Error(
        `the storm tested nothing: ${acknowledged.size} articles, ${kills} kills, ${rebases} rebases`,
      );
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
  /** The ids of the acknowledged articles. */
  readonly acknowledged: Set<string>;
  /** The revisions of the acknowledged updates. */
  readonly updated: Set<string>;
  /** The lines that the owner has committed. */
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
  /** While this is true, no delivery and no kill begins. */
  let isPaused = false;
  /** How many deliveries and kills are running. */
  let running = 0;

  /** Runs a delivery or a kill as soon as the pause is over. */
  async function unlessPaused(work: () => Promise<void>): Promise<void> {
    while (isPaused) await setTimeout(10);
    running++;
    await work().finally(() => {
      running--;
    });
  }

  /** Publishes, and updates every other article. */
  async function publisher(slot: number, isOver: () => boolean): Promise<void> {
    for (let n = 0; !isOver(); n++) {
      const id = `${slot}-${n}`;
      let url = '';
      await unlessPaused(async () => {
        url = await site.publish(slot, id);
        acknowledged.add(id);
      });
      if (n % 2 === 1) await unlessPaused(() => updateOnce(slot, url));
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
      // the receiver was killed, or the file is absent during a rebase; the service would try again
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
      if (n % 6 === 2) await rebaseInPause(n === 2);
      if (n % 6 === 5 && (await site.rebase())) rebases++;
      await setTimeout(30);
    }
  }

  /**
   * Git refuses a rebase while the work tree has uncommitted changes, and a stored update waits for its commit nearly
   * always. So deliveries and kills pause until the rebase has begun. For the first rebase they pause until it has
   * ended, so that every storm has a complete one.
   */
  async function rebaseInPause(untilEnd: boolean): Promise<void> {
    isPaused = true;
    let isDone = false;
    try {
      await until('the running deliveries and kills should end', () => running === 0);
      await site.caughtUp();
      isDone = await site.rebase(() => {
        isPaused = untilEnd;
      });
    } finally {
      isPaused = false;
    }
    if (isDone) rebases++;
    note(`rebase ${isDone ? 'done' : 'refused or aborted'}`);
  }

  async function killer(isOver: () => boolean): Promise<void> {
    for (let n = 0; !isOver(); n++) {
      await setTimeout(200 + random.next() * 400);
      await unlessPaused(async () => {
        if (await site.kill(n)) kills++;
      });
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
    'only the owner’s draft should be uncommitted',
  );
  expectEqual(await git('fsck', '--full', '--strict', '--no-dangling'), '', 'git fsck should find nothing');
  expectEqual(
    await git('for-each-ref', '--format=%(refname)'),
    'refs/heads/main\n',
    'no other ref than the branch should be left',
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
    'each commit of Pressmark should contain exactly one article',
  );
  expectNone(
    others.filter(({ files }) => files.some((name) => name === 'draft.txt' || name.startsWith('content/'))),
    'no commit of the owner should contain an article or the draft',
  );
  const kept = keptRevisions(dir);
  const revisions = articles.map(({ revision }) => revision);
  expectNone(doubled(revisions), 'each revision should have one commit');
  expectNone(
    [...updated].filter(
      (revision) => !revisions.includes(revision) && !kept.some((one) => one.revision === revision),
    ),
    'each acknowledged update should be in the history or, if a later one has replaced it, in a file',
  );
  const publications = new Set([
    ...articles.filter(({ revision }) => revision.startsWith('rev-')).map(({ files }) => files[0]),
    ...kept.filter(({ revision }) => revision.startsWith('rev-')).map(({ path }) => path),
  ]);
  expectNone(
    [...acknowledged].filter((id) => !publications.has(pathOf(id))),
    'each acknowledged publication should be in the history or, if an update has replaced it, in a file',
  );
  expectTrue(noted.size > 0, 'the owner should be able to commit');
}

/** The articles whose texts are kept below `.pressmark/replaced/`, because git could not commit them in time. */
function keptRevisions(dir: string): { path: string; revision: string }[] {
  const folder = join(dir, '.pressmark', 'replaced');
  const files = fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return files
    .filter((name) => fs.statSync(join(folder, name)).isFile())
    .map((name) => ({
      path: dirname(name),
      revision: revisionOf(fs.readFileSync(join(folder, name), 'utf8')),
    }));
}
