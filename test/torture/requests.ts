import fs from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { articleFiles, debris, namesIn, readStored } from '../support/content.js';
import { article, type PublishedData, update } from '../support/events.js';
import { createRandom } from '../support/random.js';
import { launch, type Receiver } from '../support/receiver.js';
import { expectEqual, expectNone, expectTrue } from './expect.js';
import { runFor } from './lanes.js';
import { type HostileRequest, hostileRequest, type KnownTarget } from './mutations.js';
import { doubled } from './repository.js';
import { type Attack, BrokenPromise, type Counts, type Scenario } from './scenario.js';
import { withTeardown } from './teardown.js';

/** Within this time the service gives up on a delivery (contract: Limits). */
const LONGEST_ANSWER_MS = 30_000;
/** Generous: a body of 1 MB that is parsed and rendered needs a few times its size. */
const MOST_MEGABYTES = 1_000;
/** After this time a client that has announced more than it sends says that nothing follows. */
const HALF_CLOSED_AFTER_MS = 200;
const LANES = 4;
/** After so many hostile requests of a lane a valid delivery is sent. */
const BETWEEN = 10;
/** In every unsigned request. */
const UNSIGNED = 'never-signed';

export const requests: Scenario = {
  name: 'requests',
  promise:
    'No request makes the receiver fail, hang, grow, store what is not signed, or write outside of its folder.',
  weight: 2,
  run: attackReceiver,
};

/** What was acknowledged as stored, by the article's id. */
type Stored = Map<string, { readonly url: string; readonly data: PublishedData | undefined }>;

function attackReceiver({ dir: root, deadline, seed, note }: Attack): Promise<Counts> {
  return withTeardown(async (t) => {
    const dir = join(root, 'site');
    fs.mkdirSync(dir);
    fs.writeFileSync(join(root, 'outside.txt'), 'outside\n');
    fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ git: false }));
    const receiver = await launch(dir);
    t.teardown(() => receiver.kill('SIGKILL'));
    const stored: Stored = new Map();
    const statuses = new Map<number, number>();
    let sent = 0;
    let unsigned = 0;

    async function lane(number: number, isOver: () => boolean): Promise<void> {
      const random = createRandom(`requests lane ${number}`, seed);
      let target: KnownTarget | undefined;
      for (let n = 0; !isOver() || n < BETWEEN + 1; n++) {
        if (n % BETWEEN === 0) target = await deliverValid(receiver, `valid-${number}-${n}`, stored);
        // several on one connection, as a client that does not wait for answers sends them
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
        for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const [request] = requests;
        const [answer] = answers;
        if (request !== undefined && count === 1) requireRightAnswer(request, answer, `${number}-${n}`);
        // Only of a request that stood alone is it known which answer is whose.
        if (request !== undefined && count === 1 && answer?.status === 200)
          remember(request.body, answer.body, stored);
        expectTrue(
          receiver.log.every(({ level }) => level < 60),
          'the receiver should live on',
        );
        expectTrue(
          megabytesOf(receiver, 'VmRSS') < MOST_MEGABYTES,
          `the receiver should need less than ${MOST_MEGABYTES} MB; it has ${megabytesOf(receiver, 'VmRSS')} MB`,
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
        ? new BrokenPromise(`the receiver should live on; it has ended: ${receiver.stderr()}`)
        : error;
    }
    const peakMegabytes = megabytesOf(receiver, 'VmHWM');
    await requireStored(receiver, stored);
    expectEqual(await receiver.stop(), 0, 'a receiver should end with 0 on SIGTERM');
    requireInside(root);
    const count = (...wanted: number[]) =>
      wanted.reduce((sum, status) => sum + (statuses.get(status) ?? 0), 0);
    return {
      requests: sent,
      notSigned: unsigned,
      accepted: count(200),
      refused: [...statuses].reduce(
        (sum, [status, times]) => sum + (status >= 400 && status < 500 ? times : 0),
        0,
      ),
      unavailable: count(503),
      articlesStored: stored.size,
      peakMegabytes,
    };
  });
}

/** A publication and an update, both of which must be acknowledged. */
async function deliverValid({ post, find }: Receiver, id: string, stored: Stored): Promise<KnownTarget> {
  const data = article({ id, slug: id });
  const late = AbortSignal.timeout(LONGEST_ANSWER_MS);
  const work = (async () => {
    const answer = await post('article.published', data);
    expectEqual(
      answer.status,
      200,
      `a valid publication between hostile requests should be stored (${answer.text})`,
    );
    const { url } = answer.json;
    const request = update({
      target_id: id,
      target_url: url,
      base_revision_id: (await find(url)).revision_id,
    });
    const updated = await post('article.updated', request);
    expectEqual(
      updated.status,
      200,
      `a valid update between hostile requests should be stored (${updated.text})`,
    );
    expectEqual(
      (await find(url)).content_html,
      request.content_html,
      'a lookup should answer what was acknowledged last',
    );
    // updates of hostile requests may follow, so that its content is not known for good
    stored.set(id, { url, data: undefined });
    return { id, url, revision: request.revision_id };
  })();
  const timeout = new Promise<never>((_, reject) =>
    late.addEventListener('abort', () =>
      reject(new BrokenPromise('a valid delivery should be answered within 30 s')),
    ),
  );
  return Promise.race([work, timeout]);
}

interface RawAnswer {
  readonly status: number;
  readonly body: string;
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
      reject(new BrokenPromise(`a request should be answered or cut off within 30 s: ${what}`));
    }, LONGEST_ANSWER_MS);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A receiver that has answered may close before all was sent.
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(answersIn(Buffer.concat(chunks)));
    });
    for (const write of requests.flatMap((one) => one.writes)) socket.write(write);
    // A server of Node drops its answer when the client says that nothing follows; one that waits for more needs it.
    if (requests.some(({ isWellFramed }) => !isWellFramed))
      setTimeout(() => socket.end(), HALF_CLOSED_AFTER_MS);
  });
}

/** The answers on a connection, one after the other. */
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
    // an interim answer has no body, another without a length goes on until the connection closes
    const to =
      status < 200 || status === 304 ? from : length === undefined ? bytes.length : from + Number(length);
    if (status >= 200) answers.push({ status, body: bytes.toString('utf8', from, to) });
    at = to;
  }
  return answers;
}

/** The parts of an answer that the contract leaves no choice in. */
function requireRightAnswer(request: HostileRequest, answer: RawAnswer | undefined, number: string): void {
  const { what, isWellFramed, isSigned } = request;
  const status = answer?.status;
  if (status !== undefined)
    expectTrue(
      status < 500 || status === 503,
      `no request should be answered with ${status}: ${what} (${number}): ${answer?.body.slice(0, 300)}`,
    );
  if (!isWellFramed) return;
  expectTrue(status !== undefined, `a whole request should have an answer: ${what} (${number})`);
  if (isSigned)
    expectTrue(status !== 401, `a signed request should not be answered with 401: ${what} (${number})`);
  else
    expectTrue(
      status === 401 || status === 413,
      `an unsigned request should be answered with 401, not with ${status}: ${what} (${number})`,
    );
}

/** Writes down what a 200 has acknowledged; the first one for an id is the one that stays. */
function remember(body: Buffer, text: string, stored: Stored): void {
  let request: { event?: unknown; data?: PublishedData };
  let answer: { id?: unknown; url?: unknown };
  try {
    request = JSON.parse(body.toString('utf8')) as typeof request;
    answer = JSON.parse(text) as typeof answer;
  } catch {
    return; // a page of the site, or the head of a request for one
  }
  if (request?.event !== 'article.published' || typeof answer.id !== 'string') return;
  expectTrue(typeof answer.url === 'string', `a publication’s answer should have a URL: ${text}`);
  const before = stored.get(answer.id);
  if (before === undefined) stored.set(answer.id, { url: answer.url, data: request.data });
  else expectEqual(answer.url, before.url, 'a redelivery should be answered with the same URL');
}

/** Requires a file for each acknowledged article, with what was sent where nobody may have changed it. */
async function requireStored({ dir, post }: Receiver, stored: Stored): Promise<void> {
  const files = articleFiles(dir).map((path) => readStored(path));
  const byId = new Map(files.map((file) => [file.article.id, file]));
  expectNone(doubled(files.map((file) => file.article.id)), 'each article should be stored once');
  expectNone(
    [...stored.keys()].filter((id) => !byId.has(id)),
    'each acknowledged article should be stored',
  );
  expectNone(
    doubled([...stored.values()].map(({ url }) => url)),
    'each article should have a URL of its own',
  );
  expectNone(
    files.filter(({ edited, bodyEdited }) => edited || bodyEdited).map((file) => file.article.id),
    'each file should be whole: its digest matches',
  );
  for (const [id, { data, url }] of stored) {
    const is = byId.get(id)?.article;
    if (data === undefined || is === undefined) continue;
    expectEqual(
      { title: is.title, html: is.contentHtml, tags: is.tags, author: is.author, jsonLd: is.jsonLd },
      {
        title: data.title,
        html: data.content_html,
        tags: data.tags,
        author: data.author,
        jsonLd: data.json_ld,
      },
      `article ${id} should be stored as it was sent`,
    );
    if (data.title === '' || data.content_html === '') continue; // a lookup must not answer with empty fields
    const answer = await post('article.lookup', { target_url: url });
    const found = { status: answer.status, id: answer.json.target?.id };
    expectEqual(found, { status: 200, id }, `article ${id} should be found at ${url}`);
  }
}

/** Nothing unsigned is anywhere, and nothing is beside the site's folder or in places of its own that are not Pressmark's. */
function requireInside(root: string): void {
  const dir = join(root, 'site');
  expectEqual(
    fs.readdirSync(root).sort(),
    ['outside.txt', 'site'],
    'nothing should be written beside the site',
  );
  expectEqual(
    fs.readFileSync(join(root, 'outside.txt'), 'utf8'),
    'outside\n',
    'no file outside should be changed',
  );
  const own = ['.pressmark', 'content', 'pressmark.config.json', 'public'];
  expectNone(
    fs.readdirSync(dir).filter((name) => !own.includes(name)),
    'articles should be written in the content folder alone',
  );
  expectNone(
    namesIn(join(dir, 'content')).filter(
      (name) => name.endsWith('.md') && !/^articles\/\d{4}\/\d{2}\/[^/]+\.md$/.test(name),
    ),
    'each article should be in the folder of its month',
  );
  expectNone(debris(dir), 'no unfinished file should be left');
  const all = namesIn(dir).map((name) => join(dir, name));
  expectNone(
    all.filter(
      (path) =>
        path.includes(UNSIGNED) || (fs.statSync(path).isFile() && fs.readFileSync(path).includes(UNSIGNED)),
    ),
    'nothing that is not signed should be written',
  );
}

/** What a process needs, or has needed at most, of memory; 0 where the system does not say. */
function megabytesOf({ pid }: Receiver, what: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1_000);
  } catch {
    return 0;
  }
}
