import test, { type ExecutionContext } from 'ava';
import { checkReceiver } from '../../../src/conformance/run.js';
import { type ListenOptions, listen, type Observed } from '../../../src/conformance/traffic/listener.js';
import { DEFAULT_SERVICE } from '../../../src/contract/service.js';
import { sampleArticle, sampleTest } from '../../../src/sender/article/sample-event.js';
import { type EventName, envelopeOf, postEvent } from '../../../src/sender/delivery/send-event.js';
import { complaints, optionsFor } from '../../support/conformance/checked.js';
import { reply, startEndpoint } from '../../support/endpoint.js';
import { SECRET } from '../../support/signer.js';

async function listening(t: ExecutionContext, over: Partial<ListenOptions> = {}) {
  const seen: Observed[] = [];
  const options = { host: '127.0.0.1', port: 0, secret: SECRET, service: DEFAULT_SERVICE };
  const { url, close } = await listen({ ...options, onExchange: (one) => seen.push(one), ...over });
  t.teardown(close);
  return {
    url: `${url}/webhook`,
    seen,
    said: () => seen.flatMap(({ findings }) => findings.map(({ says }) => says)),
  };
}

const sent = (
  url: string,
  event: EventName,
  data: object,
  timestamp = '2026-11-19T08:00:00Z',
  secret = SECRET,
) => postEvent({ url, secret, service: DEFAULT_SERVICE }, envelopeOf(event, { ...data }, timestamp));
const TIMESTAMP = '2026-11-19T08:00:00Z';
const article = () => sampleArticle({}, TIMESTAMP);
const aTest = () => sampleTest({});

test('listen alone keeps every rule of the contract', async (t) => {
  const { url } = await listening(t);
  const report = await checkReceiver(optionsFor(new URL(url), { pages: undefined }));
  t.is(report.version, 3);
  t.deepEqual(
    complaints(report).filter((line) => !line.includes('use --')),
    [],
  );
});

// Each rule of requests has its fault in sender-mistakes.test.ts.
test('listen names what a request breaks', async (t) => {
  const { url, said } = await listening(t);
  const body = JSON.stringify(envelopeOf('webhook.test', { ...aTest() }, TIMESTAMP), null, 1);
  const headers = { 'X-Acme-Signature': 'sha256=00', 'Content-Type': 'text/plain' };
  await fetch(url, { method: 'POST', body, headers });
  t.deepEqual(said(), [
    'Content-Type is text/plain; it must be application/json',
    'X-Service-Signature is missing, but X-Acme-Signature is present: give the service’s name with --service',
    'X-Service-Timestamp is missing; it must be the time of sending in seconds, and not before the body’s timestamp',
    'the JSON is not compact: it has white space or a line end between its values',
    'X-Service-Event is missing, but the body’s event is webhook.test',
    'X-Service-Contract is missing; on webhook.test it must be 2',
  ]);
  t.is((await fetch(url, { method: 'POST', body: 'x'.repeat(10_000_001) })).status, 413);
});

test('listen names what an answer breaks', async (t) => {
  let text = '';
  let status = 200;
  const endpoint = await startEndpoint(t, (got, response) => reply(status, text)(got, response));
  const { url: before, seen, said } = await listening(t, { forwardTo: new URL(endpoint.url) });
  const lookup = { target_url: 'https://garden.example/a/' };
  const cases: [EventName, object, number, string, RegExp | undefined][] = [
    ['webhook.test', aTest(), 200, '{"received":true}', /no contract_version 2 or 3/],
    ['webhook.test', aTest(), 301, '', /follows a redirect/],
    ['article.published', article(), 200, '{"received":true,"id":"a","url":"/a/"}', /not an absolute/],
    [
      'article.published',
      article(),
      200,
      '{"received":true,"id":7,"url":"https://g.example/a/"}',
      /id .* text/,
    ],
    ['article.published', article(), 200, '{"received":true}', undefined],
    ['article.published', article(), 200, '{"received":true,"id":"a"}', undefined],
    ['article.published', article(), 200, '{"url":"https://g.example/a/"}', undefined],
    ['article.published', article(), 500, 'Traceback', /not \{"error": message\}/],
    ['article.lookup', lookup, 200, '{"received":true}', /contract_version/],
  ];
  for (const [event, data, code, answer, says] of cases) {
    seen.length = 0;
    [status, text] = [code, answer];
    await sent(before, event, data);
    if (says === undefined) t.deepEqual(said(), [], answer);
    else t.regex(said().join('\n'), says);
  }
  seen.length = 0;
  [status, text] = [200, '{"received":true}'];
  await sent(before, 'webhook.test', aTest(), undefined, 'another secret');
  t.regex(said().join('\n'), /it was answered 200; without the right signature the answer must be 401/);
  text = 'x'.repeat(10_000_001);
  const tooLong = await sent(before, 'webhook.test', aTest());
  t.regex(tooLong.body.toString(), /did not answer: the answer is over 10,000,000 bytes/);
});

test('listen answers by a script, and where no receiver is behind it says so', async (t) => {
  const { url } = await listening(t, { statuses: [503, 429, 200] });
  const statuses = [];
  for (let n = 0; n < 4; n++) statuses.push((await sent(url, 'article.published', article())).status);
  t.deepEqual(statuses, [503, 429, 200, 200]);
  const { url: dead } = await listening(t, { forwardTo: new URL('http://127.0.0.1:9/') });
  const { status, body } = await sent(dead, 'webhook.test', aTest());
  t.is(status, 502);
  t.regex(body.toString(), /http:\/\/127\.0\.0\.1:9 did not answer/);
});
