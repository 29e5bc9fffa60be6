import { readFileSync } from 'node:fs';
import test from 'ava';
import { sign, verify } from '../../../src/contract/signature.js';
import { fc } from '../../support/property.js';

// Made with openssl, not with our own code:
// openssl dgst -sha256 -hmac 'golden-secret: äöü & 100%' test/unit/contract/fixtures/signed-body.txt
const GOLDEN_SECRET = 'golden-secret: äöü & 100%';
const GOLDEN_HEX = 'b011cc03f3e6a7e3c129d722218a8cf476b3aa2f9158a6d53dc8f3b42ead1493';
const GOLDEN_BODY = readFileSync(
  new URL('../../../../test/unit/contract/fixtures/signed-body.txt', import.meta.url),
);

// Made with: printf '<body>' | openssl dgst -sha256 -hmac '<secret>'
const LONG_SECRET = 'a key that is longer than one block of SHA-256, which has 64 bytes: it is hashed first';
const GOLDEN: [what: string, body: Uint8Array, secret: string, hex: string][] = [
  ['a whole event', GOLDEN_BODY, GOLDEN_SECRET, GOLDEN_HEX],
  [
    'an empty body',
    Buffer.alloc(0),
    'short',
    'd1dc9996d36343e5389bb594fb38f03ace27d64436998bd16fdaba82c2c891c6',
  ],
  [
    'bytes that are not text, with a secret longer than a block',
    Uint8Array.of(0, 0xff, 13, 10),
    LONG_SECRET,
    'f1c36046a3677cb434a31a342fee71e051881f49d8d72413869ed6902c21a172',
  ],
  [
    'a short body, with a secret that is not ASCII',
    Buffer.from('{}'),
    'schlüssel-🔑',
    'adba31322d1973edae515f452fc5606025ebc5f8874a69c7d61bd30633c49976',
  ],
];

for (const [what, body, secret, hex] of GOLDEN) {
  test(`the signature that openssl makes of ${what} is made and accepted`, (t) => {
    t.is(sign(body, secret), `sha256=${hex}`);
    t.true(verify(body, `sha256=${hex}`, [secret]));
    t.true(verify(body, `SHA256=${hex.toUpperCase()}`, ['old', secret, 'older']));
    t.false(verify(body, `sha256=${hex}`, []));
    t.false(verify(body, `sha256=${hex}`, ['old']));
  });
}

test('a signature is accepted with its secret, and with no other', (t) => {
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
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (header) => {
      t.false(verify(GOLDEN_BODY, header, [GOLDEN_SECRET]));
    }),
  );
  const right = `sha256=${GOLDEN_HEX}`;
  for (const header of [`${right}\n`, ` ${right}`, `${right}, ${right}`, right.slice(0, -2), `${right}00`])
    t.false(verify(GOLDEN_BODY, header, [GOLDEN_SECRET]), JSON.stringify(header));
});
