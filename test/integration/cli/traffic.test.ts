import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { listen, type Observed } from '../../../src/conformance/traffic/listener.js';
import {
  DEFAULT_SERVICE,
  envelopeBytes,
  envelopeOf,
  eventHeaders,
} from '../../../src/sender/delivery/send-event.js';
import { exchange } from '../../../src/sender/delivery/transport.js';
import { startEndpoint } from '../../support/endpoint.js';
import { article } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { createRandom } from '../../support/random.js';
import { STORE_ONLY, startProgram } from '../../support/receiver.js';
import { sharedHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const receiver = sharedHere(test, STORE_ONLY);

const sendHere = (...args: string[]) => runHere(['send', ...args], { PRESSMARK_SECRET: SECRET });

test('send signs each of the four events so that the receiver takes them', async (t) => {
  const { dir, origin } = receiver();
  const to = ['--to', `${origin}/webhook`];
  const send = async (...args: string[]) => {
    const ended = await sendHere(...args, ...to, '--dir', dir, '--json');
    const { status, body } = JSON.parse(ended.stdout) as { status: number; body: string };
    return { code: ended.code, status, answer: JSON.parse(body) };
  };
  const file = (name: string, data: object) => {
    fs.writeFileSync(join(dir, name), JSON.stringify(data));
    return join(dir, name);
  };

  const plain = await sendHere('webhook.test', ...to, '--dir', dir);
  t.deepEqual([plain.code, plain.stderr], [0, '']);
  t.regex(plain.stdout, /^200 in \d+ ms\n\{"received":true,"contract_version":3,/);
  const published = await send(
    'article.published',
    '--file',
    file('a.json', { id: 'one', title: 'One', slug: 'one' }),
  );
  t.deepEqual(published, {
    code: 0,
    status: 200,
    answer: { received: true, id: 'one', url: 'https://garden.example/articles/one/' },
  });
  const found = await send('article.lookup', '--target', published.answer.url);
  const base = { target_id: 'one', base_revision_id: found.answer.target.revision_id };
  const target = ['--target', published.answer.url];
  const updated = await send(
    'article.updated',
    '--file',
    file('b.json', { id: 'draft', title: 'Two', ...base }),
    ...target,
  );
  t.is(updated.answer.revision_id, 'draft');
  const stale = await send('article.updated', '--file', file('c.json', { id: 'late', ...base }), ...target);
  t.deepEqual([stale.code, stale.status], [1, 409]);
});

test('send refuses wrong usage', async (t) => {
  for (const [args, message] of [
    [['article.deleted'], /Allowed choices are article\.published/],
    [['article.lookup'], /give it with --target/],
    [['article.updated', '--target', 'https://garden.example/a'], /needs target_id/],
    [['article.published', '--file', 'nowhere.json'], /nowhere\.json.*cannot be read/],
  ] as const) {
    const { code, stdout, stderr } = await sendHere(...args, '--dir', tempDir(t));
    t.deepEqual([code, stdout], [2, ''], args.join(' '));
    t.regex(stderr, message);
  }
});

test('listen prints a line of JSON for each request and records it, and replay sends the same bytes again', async (t) => {
  const dir = tempDir(t);
  const env = { PRESSMARK_SECRET: SECRET };
  const options = ['--dir', dir, '--port', '0', '--record', join(dir, 'traffic')];
  const { child, printed, ended } = startProgram(['listen', ...options], env);
  t.teardown(() => child.kill('SIGKILL'));
  await until('it greets', () => printed.stderr.endsWith('\n'));
  const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(printed.stderr)?.[0] ?? '';
  t.regex(printed.stderr, /answers itself, and keeps articles until it ends; every path is the webhook/);
  const lineAt = async (index: number) => {
    await until('it says a line', () => printed.stdout.split('\n').length > index + 1);
    return JSON.parse(printed.stdout.split('\n')[index] ?? '');
  };

  const file = join(dir, 'article.json');
  const data = article();
  fs.writeFileSync(file, JSON.stringify(data));
  const sent = ['send', 'article.published', '--dir', dir, '--file', file, '--to', url];
  t.is((await runHere(sent, env)).code, 0);
  const { event, signature, status, id, findings, file: recorded } = await lineAt(0);
  t.deepEqual([event, signature, status, id], ['article.published', 'right', 200, data.id]);
  t.deepEqual(findings, []);

  t.is((await runHere(['replay', recorded, '--to', url])).code, 0);
  t.like(await lineAt(1), { signature: 'right', status: 200 });
  const [first, second] = fs.readdirSync(join(dir, 'traffic')).sort();
  const bodyOf = (name = '') => JSON.parse(fs.readFileSync(join(dir, 'traffic', name), 'utf8')).body;
  t.is(bodyOf(first), bodyOf(second));

  child.kill('SIGTERM');
  t.is((await ended()).code, 0);
});

test('listen passes a request and its answer on without changing a byte, also where they break the contract', async (t) => {
  const random = createRandom('listen');
  const bytes = () =>
    Buffer.from(Array.from({ length: random.integer(0, 5_000) }, () => random.integer(0, 256)));
  let answer = { status: 200, headers: { 'X-Answer': 'a' }, body: bytes() };
  const endpoint = await startEndpoint(t, (_got, response) => {
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  });
  const seen: Observed[] = [];
  const between = await listen({
    host: '127.0.0.1',
    port: 0,
    secret: SECRET,
    service: DEFAULT_SERVICE,
    forwardTo: new URL(endpoint.url),
    onExchange: (one) => void seen.push(one),
  });
  t.teardown(between.close);
  const articles = Array.from({ length: 10 }, () => {
    const envelope = envelopeOf('article.published', { ...article() }, new Date().toISOString());
    return envelopeBytes(envelope);
  });
  for (const body of [...articles, ...Array.from({ length: 10 }, bytes)]) {
    answer = { status: random.pick([200, 201, 404, 503]), headers: { 'X-Answer': 'ä, b' }, body: bytes() };
    const headers = {
      ...eventHeaders('article.published', body, { secret: SECRET, service: DEFAULT_SERVICE }),
      'X-Odd-CASE': 'é ; ,',
    };
    const reply = await exchange({ url: `${between.url}/`, headers, body, timeoutMs: 30_000 });
    const got = endpoint.got.at(-1);
    t.deepEqual(got?.body, body);
    for (const [name, value] of Object.entries(headers)) t.is(got?.headers[name.toLowerCase()], value, name);
    t.deepEqual([reply.status, reply.headers['x-answer']], [answer.status, answer.headers['X-Answer']]);
    t.deepEqual(reply.body, answer.body);
    const { recording } = seen.at(-1) ?? {};
    t.is(recording?.body, body.toString('base64'));
    t.is(recording?.answer?.body, answer.body.toString('base64'));
  }
  t.is(endpoint.got.length, 20);
});
