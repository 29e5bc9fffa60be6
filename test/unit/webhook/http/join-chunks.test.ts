import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { BLOCK_BYTES, joinChunks } from '../../../../src/webhook/http/join-chunks.js';
import { fc } from '../../../support/property.js';

test('the joined bytes are those that came, in their order, however large the chunks are', async (t) => {
  const chunk = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 3 }),
    fc.uint8Array({ minLength: 1_000, maxLength: 5_000 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 30 }), async (chunks) => {
      const stage = joinChunks(() => undefined);
      const joined = buffer(stage);
      for (const bytes of chunks) stage.write(Buffer.from(bytes));
      stage.end();
      t.true((await joined).equals(Buffer.concat(chunks)));
    }),
  );
});

for (const [what, sizes] of [
  ['chunks of one byte', [1]],
  ['chunks of half a block and a byte', [2_049]],
  ['a large chunk and a byte in turn', [4_096, 1]],
  ['chunks of 64 KB', [65_536]],
] as const) {
  test(`${what} take at most twice the memory of their bytes, and a block, in few buffers`, async (t) => {
    let bytes = 0;
    let buffers = 0;
    let held = 0;
    const stage = joinChunks((now) => {
      held = now;
    });
    stage.on('data', () => buffers++);
    for (let n = 0; bytes < 200_000; n++) {
      const size = sizes[n % sizes.length] ?? 0;
      bytes += size;
      await new Promise((written) => stage.write(Buffer.alloc(size, 'x'), written));
      t.true(held >= bytes);
      t.true(held <= 2 * bytes + BLOCK_BYTES, `${held} for ${bytes}`);
    }
    t.true(buffers <= (2 * bytes) / BLOCK_BYTES + 1, `${buffers} for ${bytes}`);
  });
}
