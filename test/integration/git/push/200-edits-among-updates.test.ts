import fs from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { gitIn, launchIn, makeRemote } from '../../../support/clones.js';
import { fileOf, revisionOf } from '../../../support/content.js';
import { article, update } from '../../../support/events.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

const EDITS = Number(process.env.PRESSMARK_TEST_EDITS ?? 3);
const ARTICLES = 3;

test(`${EDITS} edits in two clones among updates: each version was made from the one before it`, async (t) => {
  t.timeout(EDITS * 10_000 + 120_000);
  const remote = makeRemote(tempDir(t), undefined, { git: { commitEdits: true, push: { fetchEvery: 300 } } });
  const machines = await Promise.all(['a', 'b'].map((name) => launchIn(remote.clone(name))));
  for (const { kill } of machines) t.teardown(() => kill('SIGKILL'));
  const [a, b] = machines;
  if (a === undefined || b === undefined) throw new Error('no machines');
  const articles = await Promise.all(
    Array.from({ length: ARTICLES }, async () => {
      const data = article();
      const { url } = (await a.post('article.published', data)).json;
      return { id: data.id, url, path: relative(a.dir, fileOf(a.dir, data.id)) };
    }),
  );
  await until(() => articles.every(({ path }) => fs.existsSync(join(b.dir, path))));

  const isEdit = (line: string) => line.startsWith('Edit: ');
  let over = false;
  const edits = () => remote.git('log', '--format=%s', 'main').split('\n').filter(isEdit).length;
  const enough = (async () => {
    for (let n = 1; n <= EDITS; n++) await until(() => edits() >= n); // each has its own time
  })().finally(() => {
    over = true;
  });
  /** What each update was made from, be it acknowledged or not. */
  const bases = new Map<string, string>();
  const acknowledged = new Set<string>();
  const rivals = machines.flatMap((machine) =>
    articles.map(async ({ id, url }) => {
      while (!over) {
        await setTimeout(Math.random() * 12_000);
        const { revision_id: base } = await machine.find(url);
        const request = update({ target_id: id, target_url: url, base_revision_id: base });
        bases.set(request.id, base);
        if ((await machine.post('article.updated', request)).status === 200) acknowledged.add(request.id);
      }
    }),
  );
  let count = 0;
  const people = machines.flatMap(({ dir }) =>
    articles.map(async ({ path }) => {
      while (!over) {
        fs.appendFileSync(join(dir, path), `words ${++count} of ${dir}\n`);
        await setTimeout(1_000 + Math.random() * 4_000);
        // mostly, who has fallen behind takes over what there is before going on
        if (Math.random() < 0.7) {
          try {
            gitIn(dir, 'restore', path);
          } catch {
            continue; // Pressmark has the index
          }
          await setTimeout(1_000);
        }
      }
    }),
  );
  await Promise.all([enough, ...rivals, ...people]);
  await setTimeout(2_500);
  await Promise.all(machines.map(({ stop }) => stop()));

  for (const { path } of articles) {
    const commits = remote.git('log', '--reverse', '--format=%H %s', 'main', '--', path).trim().split('\n');
    let before: string | undefined;
    for (const commit of commits) {
      const [name = '', kind] = commit.split(' ');
      const text = remote.git('show', `${name}:${path}`);
      const revision = revisionOf(text);
      if (kind === 'Update:')
        t.is(bases.get(revision), revisionOf(before ?? ''), 'an update of another version');
      if (kind === 'Edit:') {
        t.is(bodyOf(text), bodyOf(before ?? ''), `an edit of another version: ${commit}`);
        const who = authorOf(wordsOf(text).at(-1));
        const lost = wordsOf(before ?? '').filter((line) => !wordsOf(text).includes(line));
        // their own words a person may have taken back
        t.deepEqual(
          lost.filter((line) => authorOf(line) !== who),
          [],
          `words lost in ${commit}`,
        );
      }
      acknowledged.delete(revision);
      before = text;
    }
  }
  t.deepEqual([...acknowledged], [], 'acknowledged updates that are not in the history');
  t.is(remote.git('fsck', '--full', '--no-dangling'), '');
});

/** The lines that people have added. */
function wordsOf(text: string): string[] {
  return text.split('\n').filter((line) => line.startsWith('words '));
}

function authorOf(line = ''): string {
  return line.replace(/^words \d+ of /, '');
}

/** What people have added their lines to. */
function bodyOf(text: string): string {
  return text.replace(/(?:words \d+ of .+\n)+$/, '');
}
