import fs from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { revisionOf } from '../../support/content.js';
import { update } from '../../support/events.js';
import { createRandom, type Random } from '../../support/random.js';
import { withTeardown } from '../../support/teardown.js';
import { until } from '../../support/until.js';
import { expectEqual, expectNone } from '../expect.js';
import { episode, runFor } from '../lanes.js';
import { locksIn } from '../repository.js';
import type { Attack, Scenario } from '../scenario.js';
import { makeOwnerSite, type OwnerSite } from './owner-site.js';
import { findLostTexts, type SentUpdate } from './replaced-texts.js';

/** Few articles at first, so that most updates meet an edit of the same article. */
const ARTICLES = 8;
/** After this many storms without a replaced edit, the scenario gives up. */
const MOST_EMPTY_STORMS = 5;

/** If none was completed before, the owner tries to rebase in this many turns. */
const FEWEST_TURNS = 20;

const pathOf = (id: string) => `content/articles/2026/11/${id}.md`;
/** The owner also commits the articles with odd numbers. */
const isOwners = (id: string) => Number(id.slice(1)) % 2 === 1;

export const edits: Scenario = {
  name: 'edits',
  promise:
    'Every text that an update replaces, a person’s or Pressmark’s, is in the history or below .pressmark/replaced/; the owner’s own work stays as it is, and each commit of Pressmark has one article.',
  weight: 2,
  run: async (attack) => {
    const sum = { updates: 0, updatesOfEdits: 0, edits: 0, rebases: 0, kills: 0 };
    let storms = 0;
    do {
      const counts = await attackOnce(storms, attack);
      for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += counts[key];
      storms++;
      // On a very busy machine, a storm may end before an update has replaced an edit.
    } while (performance.now() < attack.deadline || (sum.updatesOfEdits === 0 && storms < MOST_EMPTY_STORMS));
    if (sum.updatesOfEdits === 0 || sum.kills === 0 || sum.rebases === 0)
      throw new Error(
        `the storms tested nothing: ${sum.updatesOfEdits} updates of edits, ${sum.kills} kills, ${sum.rebases} rebases`,
      );
    return { storms, ...sum };
  },
};

/**
 * Publishes, edits and updates articles, with one, two or three receivers, while the owner commits, amends and rebases,
 * and while receivers and their git commands are killed.
 */
function attackOnce(number: number, attack: Attack) {
  return withTeardown(async (t) => {
    const count = (number % 3) + 1;
    const root = join(attack.dir, `storm-${number}`);
    const site = await makeOwnerSite(t, root, count);
    const { dir, receivers, git } = site;
    const randomOf = (lane: string) => createRandom(`edits ${number} ${lane}`, attack.seed);
    /** The URLs of the articles, by id. */
    const published = new Map<string, string>();
    let numbered = 0;
    /** Every text that the owner has saved, by its revision. */
    const saved = new Map<string, string>();
    const updates: SentUpdate[] = [];
    const notes: string[] = [];
    let edits = 0;
    let kills = 0;
    let rebases = 0;
    /** While this is true, no delivery, no edit and no kill begins. */
    let isPaused = false;
    /** How many of them are running. */
    let running = 0;

    async function unlessPaused(work: () => unknown): Promise<void> {
      while (isPaused) await setTimeout(10);
      running++;
      try {
        await work();
      } finally {
        running--;
      }
    }

    const note = (what: string, path = '') => attack.note(`${path} ${what}`);

    async function publisher(slot: number, lane: number, isOver: () => boolean): Promise<void> {
      const random = randomOf(`publisher ${lane}`);
      while (!isOver()) {
        await setTimeout(random.next() * 200);
        await unlessPaused(() => (random.chance(0.1) ? publishNew(slot) : updateOne(slot, random)));
      }
    }

    async function publishNew(slot: number): Promise<void> {
      const id = `a${numbered++}`;
      published.set(id, await site.publish(slot, id));
    }

    async function updateOne(slot: number, random: Random): Promise<void> {
      const [id, url] = random.pick([...published]);
      try {
        const base = (await receivers[slot]?.find(url))?.revision_id ?? '';
        const request = update({ target_id: id, target_url: url, base_revision_id: base });
        const one: SentUpdate = { id: request.id, path: pathOf(id), base, status: 'killed' };
        updates.push(one);
        note(`${slot}: update ${one.id} of ${base}`, one.path);
        one.status = (await receivers[slot]?.post('article.updated', request))?.status ?? 'killed';
        note(`${slot}: update ${one.id}: ${one.status}`, one.path);
      } catch {
        // the receiver was killed, or the file is absent during a rebase of the owner
      }
    }

    /** Appends words to articles in place, as the owner's editor. */
    async function editor(isOver: () => boolean): Promise<void> {
      const random = randomOf('editor');
      while (!isOver()) {
        await setTimeout(random.next() * 250);
        await unlessPaused(() => editOne(random.pick([...published.keys()])));
      }
    }

    function editOne(id: string): void {
      // read through the same descriptor, because an update may have put another file at this path by now
      const file = openInPlace(join(dir, pathOf(id)));
      if (file === undefined) return; // absent during a rebase
      fs.writeSync(file, `words ${++edits}\n`);
      const text = fs.readFileSync(join('/proc/self/fd', String(file)), 'utf8');
      fs.closeSync(file);
      saved.set(revisionOf(text), text);
      note(`words ${edits}: ${revisionOf(text)}`, pathOf(id));
    }

    /** Commits, amends and rebases as the owner, and repeats commands that git refuses. */
    async function owner(isOver: () => boolean): Promise<void> {
      const random = randomOf('owner');
      for (let n = 0; !isOver() || (rebases === 0 && n < FEWEST_TURNS); n++) {
        await appendFile(join(dir, 'notes.txt'), `note ${n}\n`);
        await writeFile(join(dir, 'draft.txt'), `not to be committed, ${n}\n`);
        await site.insist('commit', '-q', '-m', `Note ${n}`, '--', 'notes.txt');
        notes.push(`note ${n}`);
        if (n % 4 === 1)
          await site.insist('commit', '-q', '--amend', '-m', `Note ${n}, amended`, '--', 'notes.txt');
        if (n % 8 === 2) await rebaseInPause();
        if (n % 4 === 3) {
          const path = pathOf(random.pick([...published.keys()].filter(isOwners)));
          note(`Mine ${n} begins`, path);
          await site.insist('commit', '-q', '-m', `Mine ${n}`, '--', path);
          // This command reads the file twice, for the index and for the commit. If the file has changed in between, the
          // index keeps what was read first.
          await site.insist('reset', '-q', '--', path);
          note(`Mine ${n} is done`, path);
        }
        await setTimeout(200);
      }
    }

    /**
     * Git refuses a rebase while the work tree has uncommitted changes, and a stored update waits for its commit nearly
     * always. So all else pauses until the rebase has begun; until it has ended for the first one, so that every storm has
     * a complete one.
     */
    async function rebaseInPause(): Promise<void> {
      const untilEnd = rebases === 0;
      note('rebase begins');
      isPaused = true;
      try {
        await until('the running deliveries, edits and kills should end', () => running === 0);
        await site.caughtUp();
        const isDone = await site.rebase(() => {
          isPaused = untilEnd;
        });
        if (isDone) rebases++;
        note(`rebase ${isDone ? 'done' : 'refused or aborted'}`);
      } finally {
        isPaused = false;
      }
    }

    async function killer(isOver: () => boolean): Promise<void> {
      const random = randomOf('killer');
      for (let n = 0; !isOver(); n++) {
        await setTimeout(300 + random.next() * 500);
        await unlessPaused(async () => {
          note(`kill ${n}`);
          if (await site.kill(n)) kills++;
        });
      }
    }

    while (numbered < ARTICLES) await publishNew(numbered % count);
    const ms = episode(attack.deadline, { least: 4_000, most: 20_000 });
    await runFor(ms, (isOver) => [
      ...Array.from({ length: Math.max(2, count) }, (_, lane) => publisher(lane % count, lane, isOver)),
      editor(isOver),
      owner(isOver),
      killer(isOver),
    ]);
    await site.caughtUp();
    for (const receiver of receivers)
      expectEqual(await receiver?.stop(), 0, 'a receiver should end with 0 on SIGTERM');

    const findings = await findLostTexts(site, updates, saved);
    if (findings.length > 0)
      for (const { slot, lines } of site.logs)
        for (const line of lines) note(`${slot}: ${JSON.stringify(line)}`);
    for (const { path, wrong, history } of findings)
      for (const line of [...history, ...wrong]) note(line, path);
    expectNone(
      findings.flatMap(({ path, wrong }) => wrong.map((what) => `${path}: ${what}`)),
      `each replaced text should be in the history or in a file, and be committed once (${count} receivers)`,
    );
    expectEqual(
      await git('status', '--porcelain'),
      '?? draft.txt\n',
      'only the owner’s draft should be uncommitted at the end',
    );
    expectNone(locksIn(dir), 'no lock file should be left in the repository');
    const kept = new Set((await git('show', 'HEAD:notes.txt')).split('\n'));
    expectNone(
      notes.filter((line) => !kept.has(line)),
      'each of the owner’s notes should be in HEAD',
    );
    const commits = await commitsIn(git);
    expectNone(
      commits.filter(({ files }) => files.includes('draft.txt')),
      'no commit should contain the owner’s draft',
    );
    expectNone(
      commits.filter(({ revision, files }) => revision !== '' && !/^content\/\S+\.md$/.test(files.join(' '))),
      'each commit of Pressmark should contain exactly one article',
    );
    expectEqual(await git('fsck', '--full', '--strict', '--no-dangling'), '', 'git fsck should find nothing');
    expectEqual(
      await git('for-each-ref', '--format=%(refname)'),
      'refs/heads/main\n',
      'no other ref than the branch should be left',
    );
    const stored = updates.filter(({ status }) => status === 200);
    const updatesOfEdits = stored.filter(({ base }) => base.startsWith('edit-')).length;
    fs.rmSync(root, { recursive: true });
    return { updates: stored.length, updatesOfEdits, edits, rebases, kills };
  });
}

/** The commits of HEAD's history: their files, and the revision that Pressmark names in a trailer of its own. */
async function commitsIn(git: OwnerSite['git']): Promise<{ revision: string; files: string[] }[]> {
  const format = '%x01%(trailers:key=Revision-Id,valueonly,separator=%x2C)';
  const log = await git('log', `--format=${format}`, '--name-only', '--no-renames', 'HEAD');
  return log
    .split('\x01')
    .slice(1)
    .map((entry) => {
      const [revision = '', ...files] = entry.split('\n');
      return { revision, files: files.filter((name) => name !== '') };
    });
}

/**
 * Opens an existing file for reading and appending. @returns undefined if it does not exist, so that none is created.
 */
function openInPlace(path: string): number | undefined {
  try {
    return fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_APPEND);
  } catch {
    return undefined;
  }
}
