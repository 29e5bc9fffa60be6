import test from 'ava';
import { checkLookup, checkTest, checkUpdated } from '../../../src/sender/delivery/answer-checks.js';
import { outcomeOf } from '../../../src/sender/delivery/attempt.js';
import type { Envelope } from '../../../src/sender/delivery/send-event.js';
import type { Reply } from '../../../src/sender/delivery/transport.js';

const ALL = ['article.published', 'article.lookup', 'article.updated'];

function answer(status: number, body: unknown = '', over: Partial<Reply> = {}): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    ...{ status, headers: {}, body: Buffer.from(text), incomplete: undefined },
    ...{ url: 'https://r.example/hook', redirectRefused: undefined, ms: 1 },
    ...over,
  };
}

const TOO_LARGE = answer(200, '{', { incomplete: 'is over 1,000,000 bytes' });

test('webhook.test: version and capabilities are read; without both, a refresh needs a Version 2 receiver', (t) => {
  const right = { received: true, contract_version: 3, capabilities: [...ALL, 'article.sung'] };
  const connection = (reply: Reply) => {
    const checked = checkTest(reply);
    return 'value' in checked ? checked.value : undefined;
  };
  for (const version of [2, 3] as const)
    t.deepEqual(connection(answer(200, { ...right, contract_version: version })), {
      version,
      noRefresh: undefined,
    });
  for (const reply of [
    answer(200),
    answer(400),
    answer(202, right),
    ...[{ received: 1 }, { contract_version: 1 }, { contract_version: '3' }, { capabilities: 'all' }].map(
      (over) => answer(200, { ...right, ...over }),
    ),
  ]) {
    t.is(connection(reply)?.version, 1, reply.body.toString());
    t.regex(connection(reply)?.noRefresh ?? '', /a Version 2 receiver is required/);
  }
  t.regex(connection(answer(202, right))?.noRefresh ?? '', /answered with 202, not with 200/);
  t.regex(connection(answer(200, { ...right, received: 1 }))?.noRefresh ?? '', /no received: true/);
  t.deepEqual(connection(answer(200, { ...right, capabilities: ALL.slice(0, 2) })), {
    version: 1,
    noRefresh: 'a refresh needs all three capabilities; the receiver does not report article.updated',
  });
});

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

test('an answer that breaks a rule is refused, and the reason is named', (t) => {
  const refusal = (checked: object) => ('refusal' in checked ? String(checked.refusal) : 'accepted');
  const location = { location: 'https://r.example/hook/' };
  for (const [reply, words] of [
    [answer(401, { error: 'signature' }), /does not accept the signature/],
    [answer(404), /no webhook at this URL; correct it, or .* 400 .*: HTTP 404/],
    [answer(500, 'sorry'), /HTTP 500: sorry/],
    [
      answer(301, '', { headers: location, redirectRefused: 'no redirect is followed' }),
      /HTTP 301 to "https:\/\/r\.example\/hook\/" \(no redirect is followed\)$/,
    ],
    [TOO_LARGE, /over 1,000,000/],
  ] as const)
    t.regex(refusal(checkTest(reply)), words);
  for (const [reply, words] of [
    [answer(404, { error: 'nothing there' }), /HTTP 404: \{"error":"nothing there"\}/],
    [answer(200, { received: true }), /contract_version must be 2 or 3.*nothing/],
    [found({ received: false }), /received must be true in the answer, got false/],
    [found({ contract_version: 4 }), /contract_version must be 2 or 3 in the answer, got 4/],
    ...['https://h.example/a', 'https://g.example/A', 'https://g.example/a?b'].map(
      (url) => [found({ target: { ...target, url } }), /not the address/] as const,
    ),
    [TOO_LARGE, /over 1,000,000 bytes/],
    ...Object.keys(target).flatMap((field) =>
      ['', 7].map((value) => {
        const words = `target\\.${field} must be a nonempty string, got ${JSON.stringify(value)}`;
        return [found({ target: { ...target, [field]: value } }), new RegExp(words)] as const;
      }),
    ),
  ] as const)
    t.regex(refusal(checkLookup(reply, 'https://g.example/a')), words);
});

const update: Envelope = {
  event: 'article.updated',
  timestamp: 't',
  contract_version: 2,
  data: { id: 'd', revision_id: 'd', target_url: 'https://g.example/a' },
};
const publish: Envelope = { event: 'article.published', timestamp: 't', data: { id: 'd' } };
const accepted = { result: 'accepted', statusCode: 200, liveUrl: null } as const;

test('update: an update counts as stored only where the answer repeats its revision; a 409 alone is final', (t) => {
  const landed = { received: true, contract_version: 2, revision_id: 'd' };
  t.deepEqual(checkUpdated(answer(200, landed), 'd'), { value: true });
  t.deepEqual(outcomeOf(update, answer(200, landed)), accepted, 'the lookup has said the live URL');
  for (const [body, said] of [
    ['', 'its body is empty'],
    [{ received: true }, 'the answer: {"received":true}'],
    [
      { ...landed, revision_id: 'other' },
      `the answer: ${JSON.stringify({ ...landed, revision_id: 'other' })}`,
    ],
  ] as const) {
    const outcome = outcomeOf(update, answer(200, body));
    t.like(outcome, { result: 'refused', final: false });
    t.true('error' in outcome && outcome.error.endsWith(`; ${said}`), said);
  }
  for (const status of [301, 400, 404, 409, 500]) {
    const outcome = outcomeOf(update, answer(status, 'words'));
    t.like(outcome, { result: 'refused', statusCode: status, final: status === 409 });
    t.regex('error' in outcome ? outcome.error : '', new RegExp(`^HTTP ${status}.*words$`));
  }
});

test('publish: any 2xx means that the article is delivered, and every other status is tried again', (t) => {
  for (const statusCode of [200, 204])
    t.deepEqual(outcomeOf(publish, answer(statusCode)), { ...accepted, statusCode });
  for (const statusCode of [199, 301, 409, 500])
    t.like(outcomeOf(publish, answer(statusCode)), { result: 'refused', statusCode, final: false });
});

test('publish: the url of the answer is the live link, if it can be read and is an absolute http(s) URL', (t) => {
  const liveUrl = 'https://g.example/a/';
  t.deepEqual(outcomeOf(publish, answer(200, { url: liveUrl })), { ...accepted, liveUrl });
  for (const url of ['javascript:alert(1)', '/a', 'https://me:too@g.example/', 7]) {
    const outcome = outcomeOf(publish, answer(200, { url }));
    t.like(outcome, accepted, String(url));
    t.regex(('note' in outcome && outcome.note) || '', /is not an absolute http\(s\) URL/);
  }
  const note = 'its URL cannot be read: the answer is over 1,000,000 bytes';
  t.deepEqual(outcomeOf(publish, TOO_LARGE), { ...accepted, note });
});

test('the error text is made of the first 200 whole characters of the body', (t) => {
  for (const character of ['x', 'é', '🐝'])
    t.like(outcomeOf(publish, answer(503, character.repeat(1000))), {
      error: `HTTP 503: ${character.repeat(200)}`,
    });
});
