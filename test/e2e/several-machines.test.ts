import { execFileSync } from 'node:child_process';
import test, { type ExecutionContext } from 'ava';
import { ask } from '../support/ask.js';
import { type Clones, gitIn, inClone, makeRemote } from '../support/clones.js';
import { article, type UpdatedData, update } from '../support/events.js';
import { notLinearizable } from '../support/linearizable.js';
import { createRandom } from '../support/random.js';
import { type Receiver, type ReceiverOptions, startReceiver } from '../support/receiver.js';
import { createStorm, type Storm } from '../support/storm.js';
import { tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { type GitServer, serveGit, serveHttp } from './git-servers.js';

// What needs real servers and a real network; `npm run torture` attacks machines whose remote is a folder.

/** How many deliveries a storm has; `npm run torture -- machines` sends thousands. */
const DELIVERIES = 8;

/** A machine that sends again where the remote did not accept in time. */
const machine = (t: ExecutionContext, clones: Clones, name: string): Promise<Receiver> =>
  startReceiver(t, inClone<ReceiverOptions>(clones.clone(name), { resend: true, health: 'any' }));

async function machines(t: ExecutionContext, clones: Clones): Promise<Receiver[]> {
  return Promise.all(['a', 'b', 'c'].map((name) => machine(t, clones, name)));
}

/** A remote below `folder`, which `server` serves. */
function remoteOn(folder: string, { url }: GitServer): Clones {
  // Each question to the remote takes several processes here; nobody waits for the regular ones.
  const clones = makeRemote(folder, url, { git: { push: { fetchEvery: 3_000 } } });
  clones.git('config', 'http.receivepack', 'true');
  return clones;
}

/** Nothing acknowledged is missing, nothing is there twice, and every answer fits into one order. */
async function requireWhole(
  t: ExecutionContext,
  storm: Storm,
  clones: Clones,
  receivers: readonly Receiver[],
) {
  await storm.lookAtAll(receivers);
  const known = storm.history.filter(({ did }) => did.result !== 'unknown').length;
  t.log(`${storm.history.length} deliveries, ${known} answered for certain`);
  t.deepEqual(notLinearizable(storm.history), []);
  const ids = [...clones.articles().values()].map((text) => /^id: "(.*)"$/m.exec(text)?.[1] ?? '');
  t.is(new Set(ids).size, ids.length, 'no article twice');
  for (const id of storm.published.keys()) t.true(ids.includes(id), id);
  for (const { dir } of receivers) {
    // The remote may still take a push on whose answer a receiver has given up.
    await until(
      'each clone follows the remote',
      () => gitIn(dir, 'rev-parse', 'HEAD') === clones.git('rev-parse', 'main'),
    );
    t.is(gitIn(dir, 'status', '--porcelain'), '');
  }
  t.is(clones.git('fsck', '--full', '--no-dangling').trim(), '');
}

/** One id to all machines at once, and rivals on one base: the least that they must agree on. */
async function requireAgreement(t: ExecutionContext, receivers: readonly Receiver[]): Promise<void> {
  const data = article({ slug: 'all-the-same' });
  const answers = await Promise.all(receivers.map(({ post }) => post('article.published', data)));
  t.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  t.is(new Set(answers.map(({ text }) => text)).size, 1);

  const [first] = receivers;
  if (first === undefined) throw new Error('no receiver has started');
  const url = answers[0]?.json.url ?? '';
  const { revision_id: base_revision_id } = await first.find(url);
  const all: UpdatedData[] = receivers.map(() =>
    update({ target_id: data.id, target_url: url, base_revision_id }),
  );
  const updated = await Promise.all(receivers.map(({ post }, index) => post('article.updated', all[index])));
  t.deepEqual(updated.map(({ status }) => status).sort(), [200, 409, 409]);
  const winner = all[updated.findIndex(({ status }) => status === 200)]?.id ?? '';
  for (const { find } of receivers) t.is((await find(url)).revision_id, winner);
}

test.serial(
  'three machines agree on everything over HTTP, also while the server of the remote goes away and comes back',
  async (t) => {
    const folder = tempDir(t);
    const server = await serveHttp(folder);
    t.teardown(server.stop);
    const clones = remoteOn(folder, server);
    const receivers = await machines(t, clones);
    await requireAgreement(t, receivers);
    const random = createRandom('the server of the remote goes away');
    const storm = createStorm({ random, clients: () => receivers, articles: 6, lanes: 6 });
    await storm.blow({ deliveries: DELIVERIES });
    await server.stop();
    const blowing = storm.blow({ deliveries: DELIVERIES });
    await until('a machine notices that the server is away', () =>
      receivers.some(({ log }) =>
        log.some(({ msg }) => msg === 'the git remote cannot be asked; tried again'),
      ),
    );
    await server.start();
    await blowing;
    await requireWhole(t, storm, clones, receivers);
  },
);

test.serial(
  'over the git protocol, a machine that is cut off from the remote answers 503, and another takes the retry',
  async (t) => {
    const network = openNetwork(t);
    const folder = tempDir(t);
    const server = await serveGit(folder, network.remoteAddress);
    t.teardown(server.stop);
    const clones = remoteOn(folder, server);
    const a = await machine(t, clones, 'a');
    const b = await machine(t, clones, 'b');
    const { wrapper, nodeAddress: address } = network;
    const options: ReceiverOptions = { wrapper, address, health: 'any' };
    const cut = await startReceiver(t, inClone(clones.clone('c'), options));
    const receivers = [a, b, cut];
    const random = createRandom('a machine is cut off');
    const storm = createStorm({ random, clients: () => receivers, articles: 6, lanes: 3 });
    await storm.blow({ deliveries: DELIVERIES });

    network.cut();
    let over = false;
    const blowing = storm.blow({ isOver: () => over });
    t.teardown(() => {
      over = true; // also where a check fails: the storm would go on for ever
    });
    const data = article();
    const { url } = (await a.post('article.published', article())).json;
    const [refused, unseen] = await Promise.all([
      cut.post('article.published', data),
      cut.post('article.lookup', { target_url: url }),
    ]);
    t.deepEqual([refused.status, unseen.status], [503, 503], 'no answer rather than a stale one');
    const health = async ({ origin }: Receiver) => (await ask(origin, '/healthz')).status;
    await until(
      'a load balancer takes it out, and no other',
      async () => [await health(cut), await health(a)].join() === '503,200',
    );
    const stored = await b.post('article.published', data);
    t.is(stored.status, 200, 'another takes the retry');

    network.join();
    over = true;
    await blowing;
    await until(
      'it answers as the other has',
      async () => (await cut.post('article.published', data)).text === stored.text,
    );
    await until('a load balancer takes it in again', async () => (await health(cut)) === 200);
    await requireWhole(t, storm, clones, receivers);
  },
);

/** A network namespace for one machine, joined to here by a cable that can be cut on the way to the remote. */
function openNetwork(t: ExecutionContext) {
  const name = `pm${process.pid}`;
  const ip = (...args: string[]) => execFileSync('ip', args);
  const inside = (...args: string[]) => ip('netns', 'exec', name, 'ip', ...args);
  const [here, nodeAddress, remoteAddress] = ['10.77.7.1', '10.77.7.2', '10.78.7.1'];
  ip('netns', 'add', name);
  t.teardown(() => ip('netns', 'delete', name));
  ip('link', 'add', `${name}a`, 'type', 'veth', 'peer', 'name', `${name}b`, 'netns', name);
  ip('address', 'add', `${here}/30`, 'dev', `${name}a`);
  ip('link', 'set', `${name}a`, 'up');
  ip('address', 'add', `${remoteAddress}/32`, 'dev', `${name}a`);
  inside('link', 'set', 'lo', 'up');
  inside('address', 'add', `${nodeAddress}/30`, 'dev', `${name}b`);
  inside('link', 'set', `${name}b`, 'up');
  inside('route', 'add', 'default', 'via', here);
  return {
    nodeAddress,
    remoteAddress,
    wrapper: ['ip', 'netns', 'exec', name],
    cut: () => inside('route', 'add', 'blackhole', `${remoteAddress}/32`),
    join: () => inside('route', 'delete', 'blackhole', `${remoteAddress}/32`),
  };
}
