import test from 'ava';
import { sign, verify } from '../../../src/contract/signature.js';
import { fc } from '../../support/property.js';

// Golden values, made with openssl, are those of the published vectors: see vectors.test.ts.

test('a signature is accepted with its secret among others, also in capitals, and with no other', (t) => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string({ minLength: 1 }), fc.string(), (body, secret, other) => {
      const header = sign(body, secret);
      t.regex(header, /^sha256=[0-9a-f]{64}$/);
      for (const given of [header, header.toUpperCase()]) {
        t.true(verify(body, given, [other, secret]));
        t.true(verify(body, given, [secret, other]));
      }
      t.false(verify(body, header, []));
      // A key is padded with zero bytes (RFC 2104), so these two are one key.
      const bare = (key: string) => key.replace(/\0+$/, '');
      if (bare(other) !== bare(secret)) t.false(verify(body, header, [other]));
    }),
  );
});

test('a signature is refused when one byte of the body or one of its digits is changed', (t) => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (body, at, change) => {
        const header = sign(body, 's');
        const changed = Uint8Array.from(body);
        const index = at % body.length;
        changed[index] = (changed[index] ?? 0) ^ change;
        t.false(verify(changed, header, ['s']));
        const digit = 7 + (at % 64);
        const other = header[digit] === 'a' ? 'b' : 'a';
        t.false(verify(body, header.slice(0, digit) + other + header.slice(digit + 1), ['s']));
      },
    ),
  );
});

test('a header that is not a signature is refused', (t) => {
  const body = Buffer.from('{}');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (header) => {
      t.false(verify(body, header, ['s']));
    }),
  );
  const right = sign(body, 's');
  for (const header of [`${right}\n`, ` ${right}`, `${right}, ${right}`])
    t.false(verify(body, header, ['s']), JSON.stringify(header));
});
