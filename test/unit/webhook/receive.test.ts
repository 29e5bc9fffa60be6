import { gzipSync } from 'node:zlib';
import test from 'ava';
import { pino } from 'pino';
import { headerNames, serviceOf } from '../../../src/contract/service.js';
import { serviceSchema } from '../../../src/contract/service-schema.js';
import type { HandlerContext } from '../../../src/webhook/events/published.js';
import { readDelivery } from '../../../src/webhook/events/read-incoming.js';
import { createReceive, refusal, type SigningSecrets } from '../../../src/webhook/receive.js';
import { article, envelope, testData } from '../../support/events.js';
import { signature } from '../../support/signer.js';

const SECRET = 'a secret of the service';
const TEST = JSON.stringify(envelope('webhook.test', testData()));
const PUBLISHED = JSON.stringify(envelope('article.published', article()));
const { title: _, ...untitled } = article();
const UNTITLED = JSON.stringify(envelope('article.published', untitled));

/** What a receiver answers to a body, whose sender signs it unless the headers say otherwise. */
function receiving(
  { now = () => [SECRET], reread = () => false }: Partial<SigningSecrets>,
  name = 'Service',
) {
  const service = serviceOf(serviceSchema.parse({ name }));
  const receive = createReceive({ now, reread }, headerNames(service), {
    readDelivery: async (...args: Parameters<HandlerContext['readDelivery']>) => readDelivery(...args),
  } as unknown as HandlerContext);
  const signed = headerNames(service).signature.toLowerCase();
  return async (body: Buffer | string, headers: Record<string, string | undefined> = {}) => {
    const bytes = Buffer.from(body);
    const all = Object.entries({ [signed]: signature(bytes, SECRET), ...headers });
    const given = Object.fromEntries(all.filter(([, value]) => value !== undefined));
    const answer = await receive({ body: bytes, headers: given });
    return [answer.status, JSON.parse(answer.body).error ?? ''] as const;
  };
}

test('401: a signature that matches no secret is compared once more where there are others since', async (t) => {
  let secrets = ['an older secret'];
  let looks = 0;
  const reread = () => {
    looks++;
    secrets = [SECRET];
    return looks === 1;
  };
  const answer = receiving({ now: () => secrets, reread });
  const statusOf = async (secret: string) =>
    (await answer(TEST, { 'x-service-signature': signature(TEST, secret) }))[0];
  t.is(await statusOf(SECRET), 200);
  t.is(await statusOf(SECRET), 200);
  t.is(looks, 1);
  t.is(await statusOf('a wrong secret'), 401);
  t.is(looks, 2);
});

const MISMATCH = 'X-Service-Signature does not match the raw body: ';
const COMPRESSED = 'the body is compressed (gzip); let no proxy compress it';
const MARKED = 'the body begins with a byte order mark (EF BB BF); send it without';
const PLAIN_SIGNED = { 'x-service-signature': signature(PUBLISHED, SECRET) };
const UNSIGNED = { 'x-service-signature': undefined };
const unsupported = (encoding: string) =>
  `Content-Encoding "${encoding}" is not supported; send the body as it is`;

// A signature that was made of the body before a proxy or an editor has changed it blames no secret.
const ANSWERS: readonly (readonly [
  what: string,
  body: Buffer | string,
  headers: Record<string, string | undefined>,
  status: number,
  error: string | RegExp,
])[] = [
  ['other than the one that was signed', TEST, PLAIN_SIGNED, 401, `${MISMATCH}check the signing secret`],
  [
    'compressed on its way, as a header says',
    gzipSync(PUBLISHED),
    { ...PLAIN_SIGNED, 'content-encoding': 'gzip' },
    401,
    `${MISMATCH}the body came with Content-Encoding "gzip"; let no proxy compress it`,
  ],
  ['compressed on its way', gzipSync(PUBLISHED), PLAIN_SIGNED, 401, `${MISMATCH}${COMPRESSED}`],
  ['marked on its way', `\ufeff${PUBLISHED}`, PLAIN_SIGNED, 401, `${MISMATCH}${MARKED}`],
  ['signed with a byte order mark', `\ufeff${PUBLISHED}`, {}, 400, MARKED],
  ['signed and compressed', gzipSync(PUBLISHED), {}, 400, COMPRESSED],
  ['without a field', UNTITLED, {}, 400, 'data.title is missing; it must be a string'],
  ['in gzip', gzipSync(PUBLISHED), { 'content-encoding': 'gzip' }, 415, unsupported('gzip')],
  ['in an unknown encoding', PUBLISHED, { 'content-encoding': 'x-unknown' }, 415, unsupported('x-unknown')],
  ['in two', PUBLISHED, { 'content-encoding': 'gzip, identity' }, 415, unsupported('gzip, identity')],
  ['as it is', TEST, { 'content-encoding': 'Identity' }, 200, ''],
  ['unsigned in gzip', gzipSync(PUBLISHED), { ...UNSIGNED, 'content-encoding': 'gzip' }, 401, /is missing/],
];

for (const [what, body, headers, status, error] of ANSWERS)
  test(`${status}: a body ${what} is answered in these words`, async (t) => {
    const [answered, words] = await receiving({})(body, headers);
    t.is(answered, status);
    if (typeof error === 'string') t.is(words, error);
    else t.regex(words, error);
    t.true(words.length <= 190, 'what is told within 200 characters');
  });

test('401: of a service with a name, the header that was expected is named and the one that came, and no value', async (t) => {
  const answer = receiving({}, 'Acme');
  const right = signature(TEST, SECRET);
  const without = { 'x-acme-signature': undefined };
  const wrong = { 'x-acme-signature': signature('x', SECRET), 'x-other-signature': right };
  for (const [headers, error] of [
    [
      { ...without, 'x-service-signature': right },
      "X-Acme-Signature is missing, and X-Service-Signature came; set service.name in the receiver's config to the name in the service's headers",
    ],
    [without, 'X-Acme-Signature is missing; send sha256= and the HMAC-SHA256 of the raw body'],
    [wrong, 'X-Acme-Signature does not match the raw body: check the signing secret'],
  ] as const)
    t.deepEqual(await answer(TEST, headers), [401, error]);
  t.deepEqual(await answer(TEST, { 'x-service-contract': '3' }), [200, ''], 'of another service');
  const contract = 'X-Acme-Contract must be 2 on webhook.test, got "3"';
  t.deepEqual(await answer(TEST, { 'x-acme-contract': '3' }), [400, contract]);
});

test('500: of an error that nothing foresaw the sender hears that it has to come again, and nothing else', (t) => {
  const { status, body, outcome } = refusal(
    new TypeError('no such key in /srv/site/.env'),
    undefined,
    pino({ level: 'silent' }),
  );
  t.deepEqual([status, outcome], [500, 'INTERNAL']);
  const error = 'the receiver failed; nothing was acknowledged, send it again';
  t.deepEqual(JSON.parse(body), { error });
});
