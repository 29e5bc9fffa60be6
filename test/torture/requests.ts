import fs from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { namesOf } from '../../src/article/article.js';
import { publishForUpdate } from '../support/client.js';
import { debris, namesIn } from '../support/content.js';
import { article, type PublishedData } from '../support/events.js';
import { createRandom } from '../support/random.js';
import { launch, type Receiver } from '../support/receiver.js';
import type { RawAnswer } from '../support/sockets.js';
import { withTeardown } from '../support/teardown.js';
import { expectEqual, expectNone, expectTrue } from './expect.js';
import { runFor } from './lanes.js';
import { type HostileRequest, hostileRequest, type KnownTarget } from './mutations.js';
import { megabytesOf } from './processes.js';
import { doubled, requireWholeFiles } from './repository.js';
import { type Attack, BrokenPromise, type Counts, type Scenario } from './scenario.js';

/** The service waits this long for an answer (contract: Limits). */
const LONGEST_ANSWER_MS = 30_000;
/** Far more than a receiver needs to parse and render several bodies of 1 MB at once. */
const MOST_MEGABYTES = 1_000;
/** When a client that has announced more bytes than it sends closes its side of the connection. */
const HALF_CLOSED_AFTER_MS = 200;
const LANES = 4;
/** Each lane makes a valid delivery before this many exchanges of hostile requests. */
const EXCHANGES_PER_DELIVERY = 10;
/** A text in every unsigned request, so that anything stored from one can be found. */
const UNSIGNED = 'never-signed';

export const requests: Scenario = {
  name: 'requests',
  promise:
    'No request makes the receiver fail, hang, use too much memory, store unsigned data, or write outside its folder.',
  weight: 2,
  run: attackReceiver,
};

/** The acknowledged articles by id; `data` is undefined if another request may have published or changed the article. */
type Stored = Map<string, { readonly url: string; readonly data: PublishedData | undefined }>;

function attackReceiver({ dir: root, deadline, seed, note }: Attack): Promise<Counts> {
  return withTeardown(async (t) => {
    const dir = join(root, 'site');
    fs.mkdirSync(dir);
    fs.writeFileSync(join(root, 'outside.txt'), 'outside\n');
    fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ git: false }));
    const receiver = await launch(dir, { args: ['--live'] });
    t.teardown(() => receiver.kill('SIGKILL'));
    const stored: Stored = new Map();
    /** The status of each answer. */
    const answered: number[] = [];
    let sent = 0;
    let unsigned = 0;

    async function lane(number: number, isOver: () => boolean): Promise<void> {
      const random = createRandom(`requests lane ${number}`, seed);
      let target: KnownTarget | undefined;
      for (let n = 0; !isOver() || n < EXCHANGES_PER_DELIVERY + 1; n++) {
        if (n % EXCHANGES_PER_DELIVERY === 0)
          target = await deliverValid(receiver, `valid-${number}-${n}`, stored);
        // sometimes several on one connection (HTTP pipelining)
        const count = random.chance(0.05) ? 3 : 1;
        const requests = Array.from({ length: count }, (_, k) => {
          const isSigned = random.chance(0.7);
          const mark = `${isSigned ? 'hostile' : UNSIGNED}-${number}-${n}-${k}`;
          return hostileRequest(random, { mark, target, isSigned, isLast: k === count - 1 });
        });
        sent += count;
        unsigned += requests.filter(({ isSigned }) => !isSigned).length;
        for (const { what } of requests) note(`${number}-${n}: ${what}`);
        const answers = await exchange(receiver.port, requests);
        answered.push(...answers.map(({ status }) => status));
        expectNone(
          answers.filter(({ status }) => status >= 500 && status !== 503),
          `no request should be answered with 5xx other than 503 (${requests.map(({ what }) => what).join(' | ')})`,
        );
        const [request] = requests;
        const [answer] = answers;
        if (request !== undefined && count === 1) requireRightAnswer(request, answer, `${number}-${n}`);
        // Several answers on one connection cannot be assigned to their requests for sure.
        if (request !== undefined && count === 1 && answer?.status === 200)
          remember(request, answer.body, stored);
        expectTrue(
          receiver.log.every(({ level }) => level < 60),
          'the receiver should log no fatal error',
        );
        expectTrue(
          megabytesOf(receiver, 'VmRSS') < MOST_MEGABYTES,
          `the receiver should use less than ${MOST_MEGABYTES} MB of memory; it uses ${megabytesOf(receiver, 'VmRSS')} MB`,
        );
      }
    }

    let hasEnded = false;
    void receiver.ended.then(() => {
      hasEnded = true;
    });
    const ms = Math.max(1_000, deadline - performance.now());
    try {
      await runFor(ms, (isOver) => Array.from({ length: LANES }, (_, number) => lane(number, isOver)));
    } catch (error) {
      throw hasEnded
        ? new BrokenPromise(`the receiver should keep running, but it has ended: ${receiver.stderr()}`)
        : error;
    }
    const peakMegabytes = megabytesOf(receiver, 'VmHWM');
    await requireStored(receiver, stored);
    expectEqual(await receiver.stop(), 0, 'a receiver should end with 0 on SIGTERM');
    await requireInside(root);
    return {
      requests: sent,
      notSigned: unsigned,
      accepted: answered.filter((status) => status === 200).length,
      refused: answered.filter((status) => status >= 400 && status < 500).length,
      unavailable: answered.filter((status) => status === 503).length,
      articlesStored: stored.size,
      peakMegabytes,
    };
  });
}

/** Publishes and updates an article. Both must be acknowledged. */
async function deliverValid(client: Receiver, id: string, stored: Stored): Promise<KnownTarget> {
  const { url, request } = await publishForUpdate(client, article({ id, slug: id }));
  const { status, text } = await client.post('article.updated', request);
  expectEqual(status, 200, `a valid update between hostile requests should be stored (${text})`);
  expectEqual(
    (await client.find(url)).content_html,
    request.content_html,
    'a lookup should return the content that was acknowledged last',
  );
  // the content is not recorded, because hostile requests may contain valid updates of this article
  stored.set(id, { url, data: undefined });
  return { id, url, revision: request.revision_id };
}

/** Writes requests on one connection and reads all answers. */
function exchange(port: number, requests: readonly HostileRequest[]): Promise<RawAnswer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.setNoDelay(true);
    const timer = setTimeout(() => {
      socket.destroy();
      const what = requests.map((one) => one.what).join(' | ');
      reject(new BrokenPromise(`a connection should be answered or closed within 30 s: ${what}`));
    }, LONGEST_ANSWER_MS);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A receiver may answer and close the connection before the client has sent everything.
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearTimeout(timer);
      try {
        resolve(answersIn(Buffer.concat(chunks)));
      } catch (error) {
        reject(error);
      }
    });
    for (const write of requests.flatMap((one) => one.writes)) socket.write(write);
    // Node's HTTP server drops the answer if the client closes its side early, so well-formed requests leave it open;
    // for the others, the close tells a server that still waits for bytes that none will come.
    if (requests.some(({ isWellFramed }) => !isWellFramed))
      setTimeout(() => socket.end(), HALF_CLOSED_AFTER_MS);
  });
}

/** Splits the bytes of a connection into its answers. */
function answersIn(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end === -1) break;
    const head = bytes.toString('latin1', at, end);
    const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(head)?.[1]);
    expectTrue(status > 0, `each answer should begin with a status line, not with ${head.slice(0, 100)}`);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    const from = end + 4;
    // an interim answer (1xx) has no body; any other answer without a length ends with the connection
    const to =
      status < 200 || status === 304 ? from : length === undefined ? bytes.length : from + Number(length);
    if (status >= 200) answers.push({ status, body: bytes.toString('utf8', from, to) });
    at = to;
  }
  return answers;
}

/** Checks only what the contract fixes for any request. */
function requireRightAnswer(request: HostileRequest, answer: RawAnswer | undefined, number: string): void {
  const { what, isWellFramed, isSigned } = request;
  const status = answer?.status;
  if (!isWellFramed) return;
  expectTrue(status !== undefined, `a complete request should be answered: ${what} (${number})`);
  if (isSigned)
    expectTrue(status !== 401, `a signed request should not be answered with 401: ${what} (${number})`);
  else
    expectTrue(
      status === 401 || status === 413,
      `an unsigned request should be answered with 401, not with ${status}: ${what} (${number})`,
    );
}

/**
 * Records what a 200 has acknowledged. Of an id without the request's own mark, such as `/etc/passwd`, only the URL: another
 * connection may have published it at the same time, or in a pipeline, whose answers are not recorded.
 */
function remember({ body, mark }: HostileRequest, text: string, stored: Stored): void {
  let request: { event?: unknown; data?: PublishedData };
  let answer: { id?: unknown; url?: unknown };
  try {
    request = JSON.parse(body.toString('utf8')) as typeof request;
    answer = JSON.parse(text) as typeof answer;
  } catch {
    return; // not a delivery, but the answer to GET, HEAD or OPTIONS, such as a page of the site
  }
  if (request?.event !== 'article.published' || typeof answer.id !== 'string') return;
  expectTrue(typeof answer.url === 'string', `a publication’s answer should have a URL: ${text}`);
  const before = stored.get(answer.id);
  const data = answer.id.includes(mark) ? request.data : undefined;
  if (before === undefined) stored.set(answer.id, { url: answer.url, data });
  else expectEqual(answer.url, before.url, 'a redelivery should be answered with the same URL');
}

/**
 * Requires a file for each acknowledged article, with the content that was sent unless an update may have changed it.
 */
async function requireStored({ dir, post }: Receiver, stored: Stored): Promise<void> {
  const files = requireWholeFiles(dir);
  const byId = new Map(files.map((file) => [file.article.id, file]));
  expectNone(
    [...stored.keys()].filter((id) => !byId.has(id)),
    'each acknowledged article should be stored',
  );
  expectNone(
    doubled([...stored.values()].map(({ url }) => url)),
    'each article should have a URL of its own',
  );
  for (const [id, { data, url }] of stored) {
    const found = byId.get(id)?.article;
    if (data === undefined || found === undefined) continue;
    expectEqual(
      {
        title: found.title,
        html: found.contentHtml,
        tags: found.tags,
        author: found.author,
        jsonLd: found.jsonLd,
      },
      // Names are stored without invisible ends, and a lookup must answer with a title.
      { ...namesOf(data), html: data.content_html, jsonLd: data.json_ld },
      `article ${id} should be stored as it was sent`,
    );
    if (data.title === '' || data.content_html === '') continue; // the lookup answers with a placeholder, because its fields must not be empty
    const answer = await post('article.lookup', { target_url: url });
    const lookup = { status: answer.status, id: answer.json.target?.id };
    expectEqual(lookup, { status: 200, id }, `article ${id} should be found at ${url}`);
  }
}

/** Requires that nothing unsigned was written, nothing next to the site's folder, and nothing unexpected in it. */
async function requireInside(root: string): Promise<void> {
  const dir = join(root, 'site');
  expectEqual(
    fs.readdirSync(root).sort(),
    ['outside.txt', 'site'],
    'nothing should be written next to the site’s folder',
  );
  expectEqual(
    fs.readFileSync(join(root, 'outside.txt'), 'utf8'),
    'outside\n',
    'no file outside the site should be changed',
  );
  const own = ['.pressmark', 'content', 'pressmark.config.json', 'public'];
  expectNone(
    fs.readdirSync(dir).filter((name) => !own.includes(name)),
    'only the content folder, the output folder and .pressmark should be written',
  );
  expectNone(
    namesIn(join(dir, 'content')).filter(
      (name) => name.endsWith('.md') && !/^articles\/\d{4}\/\d{2}\/[^/]+\.md$/.test(name),
    ),
    'each article should be in the folder of its month',
  );
  expectNone(await debris(dir), 'no unfinished file should be left');
  const all = namesIn(dir).map((name) => join(dir, name));
  expectNone(
    all.filter(
      (path) =>
        path.includes(UNSIGNED) || (fs.statSync(path).isFile() && fs.readFileSync(path).includes(UNSIGNED)),
    ),
    'nothing from an unsigned request should be written',
  );
}
