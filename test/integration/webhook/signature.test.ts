import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import test from 'ava';
import { treeOf } from '../../support/content.js';
import { article, envelope, testData } from '../../support/events.js';
import { sharedReceiver } from '../../support/receiver.js';
import { SECRET, signature } from '../../support/signer.js';

const OTHER_SECRET = 'the-old-secret-123456';

// Two live secrets, as while a secret is being rotated: that changes nothing about the other rules of this file.
const receiver = sharedReceiver(test, {
  storeOnly: true,
  env: { PRESSMARK_SECRET: `${SECRET}, ${OTHER_SECRET}` },
});

const TEST_BODY = JSON.stringify(envelope('webhook.test', testData()));
const BODY = JSON.stringify(envelope('article.published', article()));
const RIGHT = signature(BODY);
const HEX = RIGHT.slice(7);

// Made with openssl from these bytes: openssl dgst -sha256 -hmac a-secret-of-the-tests-0123456789
const GOLDEN_BODY =
  '{"event":"webhook.test","timestamp":"2026-11-19T08:00:00Z","contract_version":2,"data":{"id":"t-1","message":"Grüße – “quotes”, a bee 🐝","capabilities":["article.published","article.lookup","article.updated"]}}';
const GOLDEN_HEX = 'ec73e7d3aed2ce96c0746d5385212244333b1efb66da5966e441f6ac9bd28807';

test('200-signature-accepted: a signature made with openssl is accepted', async (t) => {
  const { status } = await receiver().raw(GOLDEN_BODY, { 'X-Service-Signature': `sha256=${GOLDEN_HEX}` });
  t.is(status, 200);
});

test('200-signature-accepted: upper-case hex is accepted, though the service sends lower case', async (t) => {
  const header = signature(TEST_BODY);
  for (const form of [header, header.toUpperCase(), `sha256=${header.slice(7).toUpperCase()}`]) {
    const { status } = await receiver().raw(TEST_BODY, { 'X-Service-Signature': form });
    t.is(status, 200, form);
  }
});

test('200-signature-accepted: while a secret is being rotated, both secrets are accepted, and no other', async (t) => {
  const statusOf = async (secret: string) =>
    (await receiver().raw(TEST_BODY, { 'X-Service-Signature': signature(TEST_BODY, secret) })).status;
  t.is(await statusOf(SECRET), 200);
  t.is(await statusOf(OTHER_SECRET), 200);
  t.is(await statusOf('a-third-secret-123456'), 401);
  t.is(await statusOf(`${SECRET}, ${OTHER_SECRET}`), 401, 'the setting as it stands is not a secret');
  t.is(await statusOf(''), 401);
});

const REFUSED: Record<string, string | undefined> = {
  'a missing signature': undefined,
  'an empty signature': '',
  'the name of the algorithm alone': 'sha256=',
  'a signature without the name of the algorithm': HEX,
  'a signature with another secret': signature(BODY, 'another secret'),
  'a signature with an empty secret': signature(BODY, ''),
  'the signature of another body': signature(`${BODY} `),
  'a signature that is one digit short': RIGHT.slice(0, -1),
  'a signature that is one digit long': `${RIGHT}0`,
  'half of the signature': RIGHT.slice(0, 39),
  'a signature whose last digit is changed': RIGHT.slice(0, -1) + (RIGHT.endsWith('0') ? '1' : '0'),
  'a signature with a letter that is not hexadecimal': `${RIGHT.slice(0, -1)}g`,
  'a signature whose second half is not hexadecimal': `sha256=${HEX.slice(0, 32)}${'zz'.repeat(16)}`,
  'the right digits under the name of another algorithm': `sha1=${HEX}`,
  'an HMAC-SHA1 under its own name': signature(BODY, SECRET, 'sha1').replace('sha256', 'sha1'),
  'an HMAC-SHA512 under the name sha256': signature(BODY, SECRET, 'sha512'),
  'a hash without a key': `sha256=${createHash('sha256')
    .update(SECRET + BODY)
    .digest('hex')}`,
  'a signature in base64': `sha256=${Buffer.from(HEX, 'hex').toString('base64')}`,
  'a signature with a space inside': `sha256= ${HEX}`,
  'the signature twice, joined': `${RIGHT}, ${RIGHT}`,
  'the right signature after a wrong one': `sha256=${'0'.repeat(64)}, ${RIGHT}`,
  'the secret itself': SECRET,
};

for (const [what, header] of Object.entries(REFUSED)) {
  test(`401-signature-refused: ${what} is refused, and the answer does not reveal the right one`, async (t) => {
    const { status, json, text } = await receiver().raw(BODY, { 'X-Service-Signature': header });
    t.is(status, 401);
    t.regex(json.error, /^X-Service-Signature /);
    t.false(text.includes(HEX), 'the answer reveals the right signature');
  });
}

test('401-signature-refused: the signature covers the exact bytes, so white space, key order and escapes count', async (t) => {
  const value = JSON.parse(BODY) as Record<string, unknown>;
  const { data, ...rest } = value;
  const changed = [
    JSON.stringify(value, null, 1),
    `${BODY}\n`,
    JSON.stringify({ data, ...rest }),
    BODY.replace('/', '\\/'),
    BODY.replace('bees', 'b\\u0065es'),
  ];
  for (const body of changed) {
    t.not(body, BODY);
    t.is((await receiver().raw(body, { 'X-Service-Signature': RIGHT })).status, 401, body.slice(0, 80));
  }
});

/** What proxies and editors make of a body that was signed. */
const CHANGED: Record<string, readonly [Uint8Array | string, Record<string, string>, RegExp]> = {
  'compressed, with its encoding': [
    gzipSync(BODY),
    { 'Content-Encoding': 'gzip' },
    /Content-Encoding \\?"gzip\\?"/,
  ],
  'compressed, without its encoding': [gzipSync(BODY), {}, /compressed \(gzip\)/],
  'in another encoding': [
    brotliCompressSync(BODY),
    { 'Content-Encoding': 'br' },
    /Content-Encoding \\?"br\\?"/,
  ],
  'behind a byte order mark': [`\ufeff${BODY}`, {}, /byte order mark/],
};

for (const [what, [body, headers, words]] of Object.entries(CHANGED)) {
  test(`401-signature-refused: a body that arrives ${what} is called that within 200 characters, and no secret is blamed`, async (t) => {
    const { status, text } = await receiver().raw(body, { ...headers, 'X-Service-Signature': RIGHT });
    t.is(status, 401);
    t.regex(text.slice(0, 200), words);
    t.notRegex(text, /secret/);
  });
}

const UNSIGNED: Record<string, string | Uint8Array> = {
  'an empty body': '',
  'a body that is not JSON': 'hello',
  'a body that is not UTF-8': Uint8Array.of(0xff, 0xfe, 0x00),
  'an unknown event': JSON.stringify(envelope('article.deleted', {})),
  'a lookup of an unknown article': JSON.stringify(
    envelope('article.lookup', { target_url: 'https://garden.example/x' }),
  ),
  'a wrong contract version': JSON.stringify({
    ...envelope('webhook.test', testData()),
    contract_version: 9,
  }),
  'a valid event': TEST_BODY,
};

for (const [what, body] of Object.entries(UNSIGNED)) {
  test(`401-signature-first: ${what} without a valid signature is a 401 that says nothing about the body`, async (t) => {
    const missing = await receiver().raw(body, { 'X-Service-Signature': undefined });
    const wrong = await receiver().raw(body, { 'X-Service-Signature': `sha256=${'0'.repeat(64)}` });
    t.deepEqual([missing.status, wrong.status], [401, 401]);
    t.notRegex(missing.json.error + wrong.json.error, /JSON|UTF|event|article|version/i);
  });
}

test.after('401-signature-refused: nothing was written, and neither a secret nor a body was logged', (t) => {
  t.deepEqual(treeOf(receiver().dir), []);
  const log = JSON.stringify(receiver().log);
  t.true(log.includes('SIGNATURE_MISMATCH'), 'the log has the refusals');
  for (const hidden of [SECRET, OTHER_SECRET, 'balcony']) t.false(log.includes(hidden), hidden);
});
