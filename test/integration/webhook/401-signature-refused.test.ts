import { createHash } from 'node:crypto';
import test from 'ava';
import { treeOf } from '../../support/content.js';
import { article, envelope } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';
import { SECRET, signature } from '../../support/signer.js';

const receiver = sharedReceiver(test, STORE_ONLY);

const BODY = JSON.stringify(envelope('article.published', article()));
const RIGHT = signature(BODY);
const HEX = RIGHT.slice(7);

const HEADERS: Record<string, string | undefined> = {
  missing: undefined,
  empty: '',
  'the name alone': 'sha256=',
  'without its name': HEX,
  'of another secret': signature(BODY, 'another secret'),
  'of an empty secret': signature(BODY, ''),
  'of another body': signature(`${BODY} `),
  'one digit short': RIGHT.slice(0, -1),
  'one digit long': `${RIGHT}0`,
  'half of it': RIGHT.slice(0, 39),
  'the last digit changed': RIGHT.slice(0, -1) + (RIGHT.endsWith('0') ? '1' : '0'),
  'a digit that is none': `${RIGHT.slice(0, -1)}g`,
  'a good start and rubbish': `sha256=${HEX.slice(0, 32)}${'zz'.repeat(16)}`,
  'another algorithm': `sha1=${HEX}`,
  'sha1 under its own name': signature(BODY, SECRET, 'sha1').replace('sha256', 'sha1'),
  'sha512 under this name': signature(BODY, SECRET, 'sha512'),
  'an unkeyed hash': `sha256=${createHash('sha256')
    .update(SECRET + BODY)
    .digest('hex')}`,
  'base64 instead of hex': `sha256=${Buffer.from(HEX, 'hex').toString('base64')}`,
  'with a space inside': `sha256= ${HEX}`,
  'twice, joined': `${RIGHT}, ${RIGHT}`,
  'the right one behind a wrong one': `sha256=${'0'.repeat(64)}, ${RIGHT}`,
  'the secret itself': SECRET,
};

for (const [name, header] of Object.entries(HEADERS)) {
  test(`a signature ${name}`, async (t) => {
    const { status, json, text } = await receiver().raw(BODY, { 'X-Service-Signature': header });
    t.is(status, 401);
    t.regex(json.error, /X-Service-Signature/);
    t.false(text.includes(HEX), 'the answer must not tell the right signature');
  });
}

test('the signature covers the exact bytes: white space, key order and escapes count', async (t) => {
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
    t.is((await receiver().raw(body, { 'X-Service-Signature': RIGHT })).status, 401);
  }
});

test.after('nothing was written, and no secret or body was logged', (t) => {
  t.deepEqual(treeOf(receiver().dir), []);
  const log = JSON.stringify(receiver().log);
  t.false(log.includes(SECRET));
  t.false(log.includes('balcony'));
});
