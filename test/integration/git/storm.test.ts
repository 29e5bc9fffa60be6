import fs from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { update } from '../../support/events.js';
import { commitsIn } from './storm-commits.js';
import { makeStormSite } from './storm-site.js';

/** How long the storm blows, in seconds; `PRESSMARK_STORM=60` for a large one. */
const SECONDS = Number(process.env.PRESSMARK_STORM ?? 3);

test(`two publishers beside a person who commits, amends and rebases, all of them killed: ${SECONDS} s`, async (t) => {
  t.timeout(120_000 + 2_000 * SECONDS);
  const site = await makeStormSite(t);
  const { dir, receivers, git } = site;

  const acknowledged = new Set<string>();
  /** The revisions of the updates that were acknowledged. */
  const updated = new Set<string>();
  const noted = new Set<string>();
  let kills = 0;
  let rebases = 0;
  let isOver = false;
  /** Whether nothing new is published for the moment. */
  let isCalm = false;

  /** Publishes, and updates every other article. */
  async function publisher(slot: number): Promise<void> {
    for (let n = 0; !isOver; n++) {
      while (isCalm) await setTimeout(10);
      const id = `${slot}-${n}`;
      const url = await site.publish(slot, id);
      acknowledged.add(id);
      if (n % 2 === 0) continue;
      try {
        const target = await receivers[slot]?.find(url);
        if (target === undefined) continue;
        const over = { target_id: target.id, target_url: target.url, base_revision_id: target.revision_id };
        const change = update(over);
        const answer = await receivers[slot]?.post('article.updated', change);
        if (answer?.status === 200) updated.add(change.revision_id);
      } catch {
        // killed, or the person's rebase has the file away just now: the service would try again
      }
    }
  }

  /** Does what a person does, again where git says no. */
  async function person(): Promise<void> {
    for (let n = 0; !isOver; n++) {
      await appendFile(join(dir, 'notes.txt'), `note ${n}\n`);
      await writeFile(join(dir, 'draft.txt'), `not to be committed, ${n}\n`);
      await site.insist('add', 'notes.txt');
      await site.insist('commit', '-q', '-m', `Note ${n}`, '--', 'notes.txt');
      noted.add(`note ${n}`);
      if (n % 3 === 1) await site.insist('commit', '-q', '--amend', '-m', `Note ${n}, amended`);
      if (n % 6 === 2) await calm();
      if (n % 3 === 2 && (await site.rebase())) rebases++;
      await setTimeout(30);
    }
  }

  /** Git begins no rebase while an update waits for its commit, as one nearly always does; they go on during the rebase. */
  async function calm(): Promise<void> {
    isCalm = true;
    for (let left = 100; left > 0 && (await git('status', '--porcelain', '--', 'content')) !== ''; left--)
      await setTimeout(50);
    isCalm = false;
  }

  async function killer(): Promise<void> {
    for (let n = 0; !isOver; n++) {
      await setTimeout(200 + Math.random() * 400);
      await site.kill(n);
      kills++;
    }
  }

  const everybody = Promise.all([publisher(0), publisher(1), person(), killer()]);
  await setTimeout(1_000 * SECONDS);
  isOver = true;
  await everybody;

  const missing = async () => {
    const there = new Set((await git('ls-tree', '-r', '-z', '--name-only', 'HEAD', 'content/')).split('\0'));
    return [...acknowledged].filter((id) => !there.has(`content/articles/2026/11/${id}.md`));
  };
  for (let left = 600; ; left--) {
    const status = await git('status', '--porcelain', '--', 'content');
    if ((await missing()).length === 0 && status === '') break;
    if (left === 0) {
      t.log(receivers.map((receiver) => receiver?.log.filter(({ level }) => level >= 40)));
      t.fail(`not in HEAD: ${await missing()}; status: ${status}`);
      return;
    }
    await setTimeout(100);
  }
  for (const receiver of receivers) t.is(await receiver?.stop(), 0);

  t.log(
    `${acknowledged.size} articles, ${updated.size} updates, ${noted.size} notes, ${rebases} rebases, ${kills} kills`,
  );
  t.true(acknowledged.size > 0 && noted.size > 0 && kills > 0 && (rebases > 0 || SECONDS < 20));
  t.is(await git('status', '--porcelain'), '?? draft.txt\n');
  t.is(await git('fsck', '--full', '--strict', '--no-dangling'), '');
  t.is(await git('for-each-ref', '--format=%(refname)'), 'refs/heads/main\n');
  const locks = fs
    .readdirSync(join(dir, '.git'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.lock'));
  t.deepEqual(locks, []);
  const notes = new Set((await git('show', 'HEAD:notes.txt')).split('\n'));
  t.deepEqual(
    [...noted].filter((note) => !notes.has(note)),
    [],
  );
  const { articles, others } = await commitsIn(site);
  for (const { subject, files } of articles) {
    t.is(files.length, 1, subject);
    t.regex(files.join(' '), /^content\/articles\/2026\/11\/[\d-]+\.md$/, subject);
  }
  for (const { subject, files } of others)
    t.deepEqual(
      files.filter((name) => name === 'draft.txt' || name.startsWith('content/')),
      [],
      subject,
    );
  const times = new Map<string, number>();
  for (const { revision } of articles) times.set(revision, (times.get(revision) ?? 0) + 1);
  t.deepEqual(
    [...times].filter(([, count]) => count !== 1),
    [],
    'no revision has two commits',
  );
  t.deepEqual(
    [...updated].filter((revision) => !times.has(revision)),
    [],
    'every acknowledged update has its commit, also where a later one has replaced it',
  );
  const publications = new Set(
    articles.filter(({ revision }) => revision.startsWith('rev-')).map(({ files }) => files[0]),
  );
  t.deepEqual(
    [...acknowledged].filter((id) => !publications.has(`content/articles/2026/11/${id}.md`)),
    [],
    'every acknowledged publication has its commit',
  );
});
