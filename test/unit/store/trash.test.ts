import '../../support/recorded-syncs.js';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openTrash } from '../../../src/store/trash.js';
import { syncs } from '../../support/recorded-syncs.js';
import { tempDir } from '../../support/temp-dir.js';

const trashed = (name: string, at = '2026-11-20T08:00:00.000Z') => ({
  id: name,
  url: `https://x.example/${name}/`,
  title: name,
  path: `${name}.md`,
  at,
  by: 'Ada',
  redirect: null,
});

test.serial(
  'the trash: what another receiver keeps and drops is seen at once, and the last one at a URL counts',
  async (t) => {
    const dir = tempDir(t);
    const [one, other] = [openTrash(dir), openTrash(dir)];
    t.deepEqual(one.list(), []);
    await other.keep(trashed('bees'), 'first');
    t.is(one.get('bees')?.title, 'bees');
    const later = '2026-11-21T08:00:00.000Z';
    await other.keep(
      { ...trashed('wasps', later), url: trashed('bees').url, redirect: 'https://y.example/' },
      '2',
    );
    t.deepEqual(
      one.list().map(({ id }) => id),
      ['wasps', 'bees'],
    );
    t.is(one.at('https://x.example/bees')?.redirect, 'https://y.example/');
    await other.drop(trashed('wasps', later));
    t.is(one.at('https://x.example/bees')?.id, 'bees');
    await other.drop(trashed('bees'));
    t.deepEqual(one.list(), []);
    t.deepEqual(fs.readdirSync(join(dir, 'trash')), ['articles.jsonl']);
  },
);

test.serial(
  'the trash: who restores an article does not take the text of one that was removed again',
  async (t) => {
    const dir = tempDir(t);
    const [one, other] = [openTrash(dir), openTrash(dir)];
    const [first, again] = [trashed('bees'), trashed('bees', '2026-11-21T08:00:00.000Z')];
    await one.keep(first, 'first');
    await other.keep(again, 'second');
    await one.drop(first);
    for (const each of [one, other, openTrash(dir)]) t.is(each.textOf(each.get('bees') ?? first), 'second');
    await one.drop(again);
    t.deepEqual(fs.readdirSync(join(dir, 'trash')), ['articles.jsonl']);
  },
);

test.serial(
  'the trash: the first text that is kept is on the disk, and so is the name of its folder',
  async (t) => {
    const dir = fs.realpathSync(tempDir(t));
    syncs.length = 0;
    await openTrash(dir).keep(trashed('bees'), 'first');
    const synced = syncs.map(({ path }) => path);
    for (const folder of [dir, join(dir, 'trash')]) t.true(synced.includes(folder), folder);
  },
);
