import test from 'ava';
import { gather } from '../../../src/webhook/gather.js';
import { fc } from '../../support/property.js';

test('the gathered bytes are those that were added, in their order, however large the pieces are', (t) => {
  const piece = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 3 }),
    fc.uint8Array({ minLength: 1_000, maxLength: 5_000 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const gathered = gather();
      for (const bytes of pieces) gathered.add(Buffer.from(bytes));
      t.true(gathered.whole().equals(Buffer.concat(pieces)));
    }),
  );
});

for (const [what, sizes] of [
  ['pieces of one byte', [1]],
  ['pieces of half a block and a byte', [2_049]],
  ['a large piece and a byte in turn', [4_096, 1]],
  ['pieces of 64 KB', [65_536]],
] as const) {
  test(`${what} take at most twice the memory of their bytes, and a block`, (t) => {
    const gathered = gather();
    let bytes = 0;
    for (let n = 0; bytes < 1_000_000; n++) {
      const size = sizes[n % sizes.length] ?? 0;
      gathered.add(Buffer.alloc(size, 'x'));
      bytes += size;
      t.true(gathered.held >= bytes);
      t.true(gathered.held <= 2 * bytes + 4_096, `${gathered.held} for ${bytes}`);
    }
    t.is(gathered.whole().length, bytes);
  });
}

test('a body in one piece is not copied', (t) => {
  const gathered = gather();
  const piece = Buffer.from('a whole body');
  gathered.add(piece);
  t.is(gathered.whole(), piece);
});
