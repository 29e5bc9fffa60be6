import test from 'ava';
import { supersededCount } from '../../../../src/git/pending/superseded.js';

let own: string | undefined;
let past: string[] = [];
const nothingPast = async () => new Set<string>();
const noEdit = async () => -1;
const count = (waiting: string[], tip?: string, before?: string, onDisk?: string, ...since: string[]) =>
  supersededCount(
    waiting.map((blob) => ({ blob, before: async () => before, since: async () => new Set(since) })),
    tip,
    own,
    async () => new Set(past),
    noEdit,
    async () => onDisk === waiting.at(-1),
  );

test('a new file and the next text of a known file are committed', async (t) => {
  t.is(await count(['a', 'b']), 0);
  t.is(await count(['b', 'c'], 'a', 'a', 'c'), 0);
});

test('a text that the branch has already is not committed again, nor are those before it', async (t) => {
  t.is(await count(['a'], 'a'), 1);
  t.is(await count(['a', 'b', 'c'], 'b', undefined, 'c'), 2);
});

test('a text is not committed over one that somebody else has committed since', async (t) => {
  t.is(await count(['b'], 'edited', 'a', 'edited'), 1);
  t.is(await count(['b'], undefined, 'a'), 1);
});

test('a delivery is committed upon an edit that was committed before it, although after the last look', async (t) => {
  t.is(await count(['b'], 'edited', 'a', 'b'), 0);
});

test.serial(
  'a text is not committed over the newer one that another receiver has committed after it',
  async (t) => {
    past = ['published', 'updated'];
    t.is(await count(['published'], 'updated', 'updated', 'updated'), 1);
    past = [];
  },
);

test.serial(
  'an update is committed although its owner has put the file back by aborting a rebase',
  async (t) => {
    past = ['published'];
    t.is(await count(['updated'], 'published', 'published', 'published'), 0);
    past = [];
  },
);

test('an edit and the text that has replaced it are committed upon the version that the edit was made from, whoever has committed that version', async (t) => {
  const since = async () => new Set<string>();
  const waiting = ['older', 'edit', 'update'].map((blob) => ({ blob, before: async () => 'before', since }));
  const isInFile = async () => false;
  t.is(await supersededCount(waiting, 'version', undefined, nothingPast, async () => 1, isInFile), 1);
  t.is(await supersededCount(waiting, 'version', undefined, nothingPast, noEdit, isInFile), 3);
});

test('where another Pressmark has committed some of the texts, those after them are committed', async (t) => {
  t.is(await count(['a', 'b', 'd'], 'c', 'x', 'd', 'a', 'b', 'c'), 2);
});

test.serial('a text is committed upon one that this process has committed itself', async (t) => {
  own = 'e';
  t.is(await count(['u'], 'e', 'b', 'edited since'), 0);
  t.is(await count(['u'], 'x', 'b', 'edited since'), 1);
  own = undefined;
});

test('a text that another Pressmark has committed meanwhile is left out, unless the file holds another by now', async (t) => {
  const since = async () => new Set(['a', 'b']);
  const old = { blob: 'a', before: async () => 'x', since };
  const other = { blob: 'c', before: async () => 'b', since: async () => new Set<string>() };
  const isInFile = async () => true;
  t.is(await supersededCount([old, other], 'b', undefined, nothingPast, noEdit, isInFile), 1);
  t.is(
    await supersededCount([other, { ...old, blob: 'd' }], 'b', undefined, nothingPast, noEdit, isInFile),
    0,
  );
  t.is(await supersededCount([old, other], 'b', undefined, nothingPast, noEdit, async () => false), 1);
});

test('texts that were parked one over the other are all committed after their file was removed, but not over the owner’s', async (t) => {
  const since = async () => new Set<string>();
  const first = { blob: 'a', before: async () => undefined, since };
  const second = { blob: 'b', before: async () => 'a', since };
  const isInFile = async () => false;
  t.is(await supersededCount([first, second], undefined, undefined, nothingPast, noEdit, isInFile), 0);
  t.is(await supersededCount([first, second], 'the owner’s', undefined, nothingPast, noEdit, isInFile), 2);
});
