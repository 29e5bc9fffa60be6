import fs from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { revisionOf } from '../../support/content.js';
import { update } from '../../support/events.js';
import { createRandom } from '../../support/random.js';
import { expectEqual, expectNone } from '../expect.js';
import { episode, runFor } from '../lanes.js';
import type { Attack, Scenario } from '../scenario.js';
import { withTeardown } from '../teardown.js';
import { makeOwnerSite, type OwnerSite } from './owner-site.js';
import { findLostTexts, type SentUpdate } from './replaced-texts.js';

/** Few articles, so that most updates meet an edit of the same article. */
const ARTICLES = 8;
/** After this many storms without a replaced edit, the scenario gives up. */
const MOST_EMPTY_STORMS = 5;

const pathOf = (id: string) => `content/articles/2026/11/${id}.md`;
/** The owner also commits the articles with odd numbers. */
const isOwners = (id: string) => Number(id.slice(1)) % 2 === 1;

export const edits: Scenario = {
  name: 'edits',
  promise:
    'Every text that an update replaces, a person’s or Pressmark’s, is in the history or below .pressmark/replaced/, and at the end git status is clean.',
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
    if (sum.updatesOfEdits === 0 || sum.kills === 0)
      throw new Error(
        `the storms tested nothing: ${sum.updatesOfEdits} updates of edits, ${sum.kills} kills`,
      );
    return { storms, ...sum };
  },
};

/**
 * Edits and updates the same articles, with one, two or three receivers, while the owner commits, amends and rebases, and
 * while receivers and their git commands are killed.
 */
function attackOnce(number: number, attack: Attack) {
  return withTeardown(async (t) => {
    const count = (number % 3) + 1;
    const root = join(attack.dir, `storm-${number}`);
    const site = await makeOwnerSite(t, {
      root,
      git: { commitEdits: true },
      receivers: count,
      logLevel: 'debug',
    });
    const { dir, receivers, git } = site;
    const randomOf = (lane: string) => createRandom(`edits ${number} ${lane}`, attack.seed);
    /** The URLs of the articles, by id. */
    const published = new Map<string, string>();
    /** Every text that the owner has saved, by its revision. */
    const saved = new Map<string, string>();
    const updates: SentUpdate[] = [];
    const diary: Noted[] = [];
    let edits = 0;
    let kills = 0;
    let rebases = 0;

    function note(what: string, path?: string): void {
      diary.push({ at: performance.now() - began, path, what });
    }

    async function publisher(slot: number, lane: number, isOver: () => boolean): Promise<void> {
      const random = randomOf(`publisher ${lane}`);
      while (!isOver()) {
        const [id, url] = random.pick([...published]);
        await setTimeout(random.next() * 200);
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
    }

    /** Appends words to articles in place, as the owner's editor. */
    async function editor(isOver: () => boolean): Promise<void> {
      const random = randomOf('editor');
      while (!isOver()) {
        await setTimeout(random.next() * 250);
        const id = random.pick([...published.keys()]);
        // read through the same descriptor, because an update may have put another file at this path by now
        const file = openInPlace(join(dir, pathOf(id)));
        if (file === undefined) continue; // absent during a rebase
        fs.writeSync(file, `words ${++edits}\n`);
        const text = fs.readFileSync(join('/proc/self/fd', String(file)), 'utf8');
        fs.closeSync(file);
        saved.set(revisionOf(text), text);
        note(`words ${edits}: ${revisionOf(text)}`, pathOf(id));
      }
    }

    /** Commits, amends and rebases as the owner, and repeats commands that git refuses. */
    async function owner(isOver: () => boolean): Promise<void> {
      const random = randomOf('owner');
      for (let n = 0; !isOver(); n++) {
        await appendFile(join(dir, 'notes.txt'), `note ${n}\n`);
        await site.insist('commit', '-q', '-m', `Note ${n}`, '--', 'notes.txt');
        if (n % 4 === 1)
          await site.insist('commit', '-q', '--amend', '-m', `Note ${n}, amended`, '--', 'notes.txt');
        if (n % 4 === 2) {
          note('rebase begins');
          const isDone = await site.rebase();
          if (isDone) rebases++;
          note(`rebase ${isDone ? 'done' : 'refused or aborted'}`);
        }
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

    async function killer(isOver: () => boolean): Promise<void> {
      const random = randomOf('killer');
      for (let n = 0; !isOver(); n++) {
        await setTimeout(300 + random.next() * 500);
        note(`kill ${n}`);
        if (await site.kill(n)) kills++;
      }
    }

    const began = performance.now();
    for (let n = 0; n < ARTICLES; n++) published.set(`a${n}`, await site.publish(n % count, `a${n}`));
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
    for (const { path, wrong, history } of findings) {
      const lines = [...diary, ...logged(site, began)]
        .filter((one) => (one.path ?? path) === path)
        .sort((a, b) => a.at - b.at)
        .map(({ at, what }) => `${Math.round(at)} ${what}`);
      for (const line of [path, ...wrong, '', ...lines, '', ...history, '']) attack.note(line);
    }
    expectNone(
      findings.flatMap(({ path, wrong }) => wrong.map((what) => `${path}: ${what}`)),
      `each replaced text should be in the history or in a file, and be committed once (${count} receivers)`,
    );
    expectEqual(await git('status', '--porcelain'), '', 'git status should be clean at the end');
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

/** An event of the storm. */
interface Noted {
  /** In milliseconds since the beginning of the storm. */
  readonly at: number;
  /** The article's file; undefined if the event concerns all of them. */
  readonly path: string | undefined;
  readonly what: string;
}

/** The log lines of the receivers as events. */
function logged({ logs }: OwnerSite, began: number): Noted[] {
  return logs.flatMap(({ slot, lines }) =>
    lines.map(({ time, level: _, plugin: __, path, ...rest }) => ({
      at: Number(time) - performance.timeOrigin - began,
      path: typeof path === 'string' ? path : undefined,
      what: `${slot}: ${JSON.stringify(rest)}`,
    })),
  );
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
