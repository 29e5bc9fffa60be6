import test from 'ava';
import { supersededCount } from '../../../src/git/superseded.js';

let own: string | undefined;
const isNewer = async () => false;
const count = (waiting: string[], tip?: string, before?: string, onDisk?: string, ...since: string[]) =>
  supersededCount(
    waiting.map((blob) => ({ blob, before: async () => before, since: async () => new Set(since) })),
    tip,
    own,
    async () => tip === onDisk,
    async () => onDisk === waiting.at(-1),
  );

test('a new file, and the next text of a known one', async (t) => {
  t.is(await count(['a', 'b']), 0);
  t.is(await count(['b', 'c'], 'a', 'a', 'c'), 0);
});

test('what the branch has already', async (t) => {
  t.is(await count(['a'], 'a'), 1);
  t.is(await count(['a', 'b', 'c'], 'b', undefined, 'c'), 2);
});

test('what somebody has gone past', async (t) => {
  t.is(await count(['b'], 'edited', 'a', 'edited'), 1);
  t.is(await count(['b'], undefined, 'a'), 1);
});

test('an edit committed before the delivery, though after the last look', async (t) => {
  t.is(await count(['b'], 'edited', 'a', 'b'), 0);
});

test('what another receiver has stored and committed something newer than', async (t) => {
  t.is(
    await count(['published'], 'updated', 'updated', 'updated'),
    1,
    'the older text is not committed over it',
  );
});

test('what another Pressmark has committed of it, with more to come', async (t) => {
  t.is(await count(['a', 'b', 'd'], 'c', 'x', 'd', 'a', 'b', 'c'), 2);
});

test.serial('what this process has committed itself is nobody else’s', async (t) => {
  own = 'e';
  t.is(await count(['u'], 'e', 'b', 'edited since'), 0);
  t.is(await count(['u'], 'x', 'b', 'edited since'), 1);
  own = undefined;
});

test('what another Pressmark has committed meanwhile, behind which stands what was looked at since', async (t) => {
  const since = async () => new Set(['a', 'b']);
  const old = { blob: 'a', before: async () => 'x', since };
  const other = { blob: 'c', before: async () => 'b', since: async () => new Set<string>() };
  const isInFile = async () => true;
  t.is(await supersededCount([old, other], 'b', undefined, isNewer, isInFile), 1);
  t.is(await supersededCount([other, { ...old, blob: 'd' }], 'b', undefined, isNewer, isInFile), 0);
  t.is(await supersededCount([old, other], 'b', undefined, isNewer, async () => false), 1);
});

test('what was parked one over the other, after its file was removed', async (t) => {
  const since = async () => new Set<string>();
  const first = { blob: 'a', before: async () => undefined, since };
  const second = { blob: 'b', before: async () => 'a', since };
  const isInFile = async () => false;
  t.is(await supersededCount([first, second], undefined, undefined, isNewer, isInFile), 0);
  t.is(await supersededCount([first, second], 'the owner’s', undefined, isNewer, isInFile), 2);
});
