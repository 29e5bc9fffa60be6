import test from 'ava';
import {
  beginningOf,
  checkLookup,
  checkTest,
  checkUpdated,
} from '../../../src/sender/delivery/answer-checks.js';
import { outcomeOf } from '../../../src/sender/delivery/attempt.js';
import type { Envelope } from '../../../src/sender/delivery/send-event.js';
import type { Reply } from '../../../src/sender/delivery/transport.js';

const ALL = ['article.published', 'article.lookup', 'article.updated'];

function answer(status: number, body: unknown = '', over: Partial<Reply> = {}): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    status,
    headers: {},
    body: Buffer.from(text),
    incomplete: undefined,
    url: 'https://r.example/hook',
    redirectRefused: undefined,
    ms: 1,
    ...over,
  };
}

const refusal = (checked: object) => ('refusal' in checked ? String(checked.refusal) : 'accepted');

for (const version of [2, 3]) {
  test(`webhook.test: a receiver of Version ${version} with all three capabilities can be refreshed`, (t) => {
    const checked = checkTest(
      answer(200, { received: true, contract_version: version, capabilities: [...ALL, 'article.sung'] }),
    );
    t.deepEqual(checked, { value: { version, noRefresh: undefined } } as typeof checked);
  });
}

for (const [what, reply] of [
  ['a bare 200', answer(200)],
  ['an answer with received alone', answer(200, { received: true })],
  ['another version', answer(200, { received: true, contract_version: 1, capabilities: ALL })],
  ['a version that is a text', answer(200, { received: true, contract_version: '3', capabilities: ALL })],
  [
    'an answer with capabilities that are not a list',
    answer(200, { received: true, contract_version: 3, capabilities: 'all' }),
  ],
  ['an answer without received', answer(200, { contract_version: 3, capabilities: ALL })],
  ['a 202', answer(202, { received: true, contract_version: 3, capabilities: ALL })],
] as const) {
  test(`webhook.test: ${what} is read as Version 1, and a refresh needs a Version 2 receiver`, (t) => {
    const checked = checkTest(reply);
    t.true('value' in checked);
    if (!('value' in checked)) return;
    t.is(checked.value.version, 1);
    t.regex(checked.value.noRefresh ?? '', /a Version 2 receiver is required/);
  });
}

test('webhook.test: a receiver that lacks a capability is Version 1, and the missing capability is named', (t) => {
  const checked = checkTest(
    answer(200, { received: true, contract_version: 3, capabilities: ALL.slice(0, 2) }),
  );
  t.deepEqual(checked, {
    value: {
      version: 1,
      noRefresh: 'a refresh needs all three capabilities; the receiver does not report article.updated',
    },
  });
});

for (const [what, reply, words] of [
  ['a 401', answer(401, { error: 'signature' }), /does not accept the signature/],
  [
    'a 404, which is not Version 1',
    answer(404),
    /no webhook at this URL; correct it, or .* 400 .*: HTTP 404/,
  ],
  ['a 500', answer(500, 'sorry'), /HTTP 500: sorry/],
  [
    'a redirect',
    answer(301, '', {
      headers: { location: 'https://r.example/hook/' },
      redirectRefused: 'no redirect is followed',
    }),
    /HTTP 301 to "https:\/\/r\.example\/hook\/" \(no redirect is followed\)$/,
  ],
  [
    'an answer that is too large',
    answer(200, '{', { incomplete: 'is over 1,000,000 bytes' }),
    /over 1,000,000/,
  ],
] as const) {
  test(`webhook.test: the test fails after ${what}, and the reason is named`, (t) =>
    t.regex(refusal(checkTest(reply)), words));
}

const target = {
  id: 'a',
  url: 'https://g.example/a',
  revision_id: 'r1',
  title: 'A',
  content_html: '<p>a</p>',
};
const found = (over: object, status = 200) =>
  answer(status, { received: true, contract_version: 3, target, ...over });

test('lookup: the five fields of a target are read, and no others', (t) => {
  const checked = checkLookup(found({ target: { ...target, more: 1 } }), 'https://g.example/a/#top');
  t.deepEqual(checked, { value: target });
});

for (const [what, reply, words] of [
  ['404', answer(404, { error: 'nothing there' }), /HTTP 404: \{"error":"nothing there"\}/],
  [
    'a version 1 acknowledgement',
    answer(200, { received: true }),
    /contract_version must be 2 or 3.*nothing/,
  ],
  ['not received', found({ received: false }), /received must be true in the answer, got false/],
  ['version 4', found({ contract_version: 4 }), /contract_version must be 2 or 3 in the answer, got 4/],
  ['another origin', found({ target: { ...target, url: 'https://h.example/a' } }), /not the address/],
  ['another case', found({ target: { ...target, url: 'https://g.example/A' } }), /not the address/],
  ['another query', found({ target: { ...target, url: 'https://g.example/a?b' } }), /not the address/],
  ['too large', answer(200, '{', { incomplete: 'is over 1,000,000 bytes' }), /over 1,000,000 bytes/],
  ['half an answer', answer(200, '{"rec', { incomplete: 'broke off' }), /the answer broke off/],
  ...(['id', 'url', 'revision_id', 'title', 'content_html'] as const).flatMap((field) => [
    [
      `an empty ${field}`,
      found({ target: { ...target, [field]: '' } }),
      new RegExp(`target\\.${field} must be a nonempty string, got ""`),
    ] as const,
    [
      `a ${field} that is a number`,
      found({ target: { ...target, [field]: 7 } }),
      new RegExp(`target\\.${field} must be a nonempty string, got 7`),
    ] as const,
  ]),
] as const) {
  test(`lookup: ${what} is refused, and the rule is named`, (t) =>
    t.regex(refusal(checkLookup(reply, 'https://g.example/a')), words));
}

const update: Envelope = {
  event: 'article.updated',
  timestamp: 't',
  contract_version: 2,
  data: { id: 'd', revision_id: 'd', target_url: 'https://g.example/a' },
};
const publish: Envelope = { event: 'article.published', timestamp: 't', data: { id: 'd' } };

test('update: an update counts as stored only where the answer repeats its revision', (t) => {
  const landed = { received: true, contract_version: 2, revision_id: 'd' };
  t.deepEqual(checkUpdated(answer(200, landed), 'd'), { value: true });
  t.deepEqual(outcomeOf(update, answer(200, landed)), {
    result: 'accepted',
    statusCode: 200,
    liveUrl: null, // the lookup has said it
  });
  for (const body of [
    '',
    { received: true },
    { ...landed, revision_id: 'other' },
    { ...landed, contract_version: 1 },
  ]) {
    const outcome = outcomeOf(update, answer(200, body));
    t.is(outcome.result, 'refused');
    t.true(outcome.result === 'refused' && !outcome.final);
    const text = typeof body === 'string' ? 'its body is empty' : `the answer: ${JSON.stringify(body)}`;
    t.true(
      outcome.result === 'refused' && outcome.error.endsWith(`; ${text}`),
      'as the error of other answers has it',
    );
  }
});

test('update: a 409 is final, any other failure is not', (t) => {
  for (const [status, final] of [
    [409, true],
    [400, false],
    [404, false],
    [500, false],
    [301, false],
  ] as const) {
    const outcome = outcomeOf(update, answer(status, 'words'));
    t.true(outcome.result === 'refused');
    if (outcome.result !== 'refused') return;
    t.deepEqual([outcome.statusCode, outcome.final], [status, final]);
    t.regex(outcome.error, new RegExp(`^HTTP ${status}.*words$`));
  }
});

test('publish: any bare 2xx means that the article is delivered', (t) => {
  for (const status of [200, 201, 202, 204])
    t.deepEqual(outcomeOf(publish, answer(status)), {
      result: 'accepted',
      statusCode: status,
      liveUrl: null,
    });
});

test('publish: the url of the answer is the live link of the article', (t) => {
  const outcome = outcomeOf(publish, answer(200, { received: true, id: 'd', url: 'https://g.example/a/' }));
  t.deepEqual(outcome, { result: 'accepted', statusCode: 200, liveUrl: 'https://g.example/a/' });
});

test('publish: the article is delivered, but what is no absolute http(s) URL is not its live link', (t) => {
  for (const url of [
    'javascript:alert(1)',
    '/a',
    'https://me:too@g.example/',
    '',
    7,
    'https://g.example/\u0000',
  ]) {
    const outcome = outcomeOf(publish, answer(200, { url }));
    t.true(outcome.result === 'accepted' && outcome.liveUrl === null, String(url));
    t.regex((outcome.result === 'accepted' && outcome.note) || '', /is not an absolute http\(s\) URL/);
  }
});

test('publish: the article is delivered, although its answer is over 1,000,000 bytes and its URL not read', (t) => {
  const incomplete = 'is over 1,000,000 bytes';
  const outcome = outcomeOf(publish, answer(200, '{"url":"https://g.example/a"', { incomplete }));
  const note = `its URL cannot be read: the answer ${incomplete}`;
  t.deepEqual(outcome, { result: 'accepted', statusCode: 200, liveUrl: null, note });
});

test('publish: every other status is a failed attempt that is tried again', (t) => {
  for (const status of [301, 304, 400, 401, 409, 413, 429, 500, 599]) {
    const outcome = outcomeOf(publish, answer(status, 'why'));
    t.true(outcome.result === 'refused' && !outcome.final && outcome.statusCode === status, String(status));
  }
});

test('the error text is made of the first 200 whole characters of the body', (t) => {
  t.is(beginningOf(answer(500, 'é'.repeat(300))), 'é'.repeat(200));
  t.is(beginningOf(answer(500, '🐝'.repeat(300))), '🐝'.repeat(200));
  t.is(beginningOf({ body: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('x')]) }), '\ufffd\ufffdx');
  const outcome = outcomeOf(publish, answer(503, 'x'.repeat(1000)));
  t.is(outcome.result === 'refused' && outcome.error, `HTTP 503: ${'x'.repeat(200)}`);
});
