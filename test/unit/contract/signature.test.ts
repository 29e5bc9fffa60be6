import { readFileSync } from 'node:fs';
import test from 'ava';
import { sign, verify } from '../../../src/contract/signature.js';
import { fc } from '../../support/property.js';

// Made by another hand than ours:
// openssl dgst -sha256 -hmac 'golden-secret: äöü & 100%' test/unit/contract/fixtures/signed-body.txt
const GOLDEN_SECRET = 'golden-secret: äöü & 100%';
const GOLDEN_HEX = 'b011cc03f3e6a7e3c129d722218a8cf476b3aa2f9158a6d53dc8f3b42ead1493';
const GOLDEN_BODY = readFileSync(
  new URL('../../../../test/unit/contract/fixtures/signed-body.txt', import.meta.url),
);

test('the golden signature is made and accepted', (t) => {
  t.is(sign(GOLDEN_BODY, GOLDEN_SECRET), `sha256=${GOLDEN_HEX}`);
  t.true(verify(GOLDEN_BODY, `sha256=${GOLDEN_HEX}`, [GOLDEN_SECRET]));
  t.true(verify(GOLDEN_BODY, `SHA256=${GOLDEN_HEX.toUpperCase()}`, ['old', GOLDEN_SECRET, 'older']));
  t.false(verify(GOLDEN_BODY, `sha256=${GOLDEN_HEX}`, []));
});

test('what is signed verifies under its secret, and under no other', (t) => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string({ minLength: 1 }), fc.string(), (body, secret, other) => {
      const header = sign(body, secret);
      t.regex(header, /^sha256=[0-9a-f]{64}$/);
      t.true(verify(body, header, [other, secret]));
      // A key is padded with zero bytes (RFC 2104), so these two are one key.
      const bare = (key: string) => key.replace(/\0+$/, '');
      if (bare(other) !== bare(secret)) t.false(verify(body, header, [other]));
    }),
  );
});

test('any change of one byte or one digit is noticed', (t) => {
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

test('no header is too strange to be refused', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (header) => {
      t.false(verify(GOLDEN_BODY, header, [GOLDEN_SECRET]));
    }),
  );
  const right = `sha256=${GOLDEN_HEX}`;
  for (const header of [`${right}\n`, ` ${right}`, `${right}, ${right}`, right.slice(0, -2), `${right}00`])
    t.false(verify(GOLDEN_BODY, header, [GOLDEN_SECRET]), JSON.stringify(header));
});
