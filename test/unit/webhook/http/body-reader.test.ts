import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough } from 'node:stream';
import test from 'ava';
import { PressmarkError } from '../../../../src/errors.js';
import { createBodyReader } from '../../../../src/webhook/http/body-reader.js';
import { until } from '../../../support/until.js';

function request(headers: IncomingHttpHeaders = {}): PassThrough & { headers: IncomingHttpHeaders } {
  return Object.assign(new PassThrough(), { headers });
}

/** Starts to read a body. @returns the request, and what became of the body: its length, or the error's code. */
function reading(read: ReturnType<typeof createBodyReader>, headers?: IncomingHttpHeaders) {
  const body = request(headers);
  const state: { outcome: number | string | undefined } = { outcome: undefined };
  read(body).then(
    ({ length }) => {
      state.outcome = length;
    },
    (error: unknown) => {
      state.outcome = error instanceof PressmarkError ? error.code : String(error);
    },
  );
  return { body, state };
}

test('a body of 1,000,000 bytes is read, in pieces of any size; one byte more is refused', async (t) => {
  const read = createBodyReader();
  for (const sizes of [[4_095], [1_000_000], [1, 4_096, 2_049, 3, 65_536]]) {
    const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, at) => at % 251));
    const body = request();
    const whole = read(body);
    for (let at = 0, n = 0; at < bytes.length; n++) {
      const size = sizes[n % sizes.length] ?? 0;
      body.write(bytes.subarray(at, at + size));
      at += size;
    }
    body.end();
    t.true((await whole).equals(bytes), `pieces of ${sizes}`);
  }
  const large = request();
  const refused = t.throwsAsync(read(large), { code: 'BODY_TOO_LARGE' });
  large.end(Buffer.alloc(1_000_001));
  await refused;
  await t.throwsAsync(read(request({ 'content-length': '1000001' })), { code: 'BODY_TOO_LARGE' });
});

test('a body in small pieces takes twice its size of the memory for all bodies, not hundreds of times', async (t) => {
  for (const size of [1, 2_049]) {
    const count = Math.floor(46_000 / size);
    const read = createBodyReader({ mostTogether: 100_000 });
    const { body, state } = reading(read);
    for (let n = 0; n < count; n++) body.write('x'.repeat(size));
    body.end();
    await until('the body is read', () => state.outcome !== undefined);
    t.is(state.outcome, count * size);
  }
});

test('a body that ends early is refused, without the words of the error', async (t) => {
  const read = createBodyReader();
  for (const end of [
    undefined,
    Object.assign(new Error('Parse Error'), { rawPacket: Buffer.from('bytes') }),
  ]) {
    const body = request();
    const refused = t.throwsAsync(read(body), { code: 'BODY_ABORTED' });
    body.write('a part');
    body.on('error', () => undefined);
    body.destroy(end);
    t.is((await refused)?.cause, undefined);
  }
});

test('where all bodies together grow too large, those that began to arrive first are given up', async (t) => {
  const read = createBodyReader({ mostTogether: 100_000 });
  const idle = reading(read);
  const first = reading(read, { 'content-length': '50000' });
  const second = reading(read);
  first.body.write(Buffer.alloc(49_900));
  second.body.write(Buffer.alloc(40_000));
  const whole = reading(read);
  whole.body.end(Buffer.alloc(30_000));
  await until('the last body is read', () => whole.state.outcome !== undefined);
  t.is(whole.state.outcome, 30_000);
  t.deepEqual([first.state.outcome, second.state.outcome], ['RECEIVER_BUSY', undefined]);
  // Its memory is free again, and so is that of the body that was read.
  const later = reading(read);
  later.body.end(Buffer.alloc(50_000));
  second.body.end();
  idle.body.end(Buffer.alloc(1));
  await until('all others are read', () =>
    [later, second, idle].every(({ state }) => state.outcome !== undefined),
  );
  t.deepEqual([later.state.outcome, second.state.outcome, idle.state.outcome], [50_000, 40_000, 1]);
});

test('a sender that begins one body after the other never keeps a whole one from being read', async (t) => {
  const read = createBodyReader({ mostTogether: 100_000 });
  for (let n = 0; n < 10; n++) {
    for (let half = 0; half < 20; half++) reading(read).body.write(Buffer.alloc(9_000));
    const whole = reading(read);
    whole.body.end(Buffer.alloc(10_000));
    await until('the whole body is read', () => whole.state.outcome !== undefined);
    t.is(whole.state.outcome, 10_000);
  }
});
