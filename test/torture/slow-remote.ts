import { randomFillSync } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { commitFile, gitIn, launchIn, makeRemote, settings } from '../support/clones.js';
import { article } from '../support/events.js';
import type { Receiver } from '../support/receiver.js';
import { expectEqual, expectTrue } from './expect.js';
import type { Attack, Scenario } from './scenario.js';
import { serveSlowly } from './slow-daemon.js';
import { withTeardown } from './teardown.js';

const BYTES_PER_SECOND = 2_000_000;
/** A push of 200 MB, a fetch of 200 MB, and another push. */
const TRANSFERS = 3;
const MOST_BYTES = 200_000_000;
/** Longer than a delivery can wait for git. */
const LEAST_BYTES = 15 * BYTES_PER_SECOND;
/** How much longer than the bytes take a transfer may take: git compresses, connects again and follows. */
const PATIENCE_MS = 120_000;
/** The service waits so long for an answer. */
const ANSWER_MS = 30_000;

export const slowRemote: Scenario = {
  name: 'slow-remote',
  promise:
    'A first push and a fetch of a large history over a slow connection succeed, at each durability level, and each delivery is answered in time.',
  weight: 3,
  run: (attack) => withTeardown((t) => attackTransfers(attack, t.teardown)),
};

async function attackTransfers({ deadline, dir, note }: Attack, teardown: (dispose: () => void) => void) {
  const seconds = (deadline - performance.now()) / 1_000 / TRANSFERS;
  const size = Math.max(LEAST_BYTES, Math.min(MOST_BYTES, (seconds * BYTES_PER_SECOND) / 1.2));
  const megabytes = Math.round(size / 1e6);
  const longestMs = (size / BYTES_PER_SECOND) * 1_000 + PATIENCE_MS;
  const answers = { stored: 0, refused: 0, longestAnswerMs: 0 };

  /** A clone with a large file in its history, whose remote has nothing; and one without, whose remote has it. */
  async function site(name: string, durability: 'disk' | 'push') {
    const folder = join(dir, name);
    fs.mkdirSync(folder);
    const clones = makeRemote(folder, undefined, settings({ durability }));
    const served = await serveSlowly(clones.remote, BYTES_PER_SECOND);
    teardown(served.close);
    const clone = clones.clone('site');
    gitIn(clone, 'remote', 'set-url', 'origin', served.url);
    return { clones, served, clone };
  }

  function large(folder: string, name: string): string {
    const bytes = Buffer.alloc(size);
    randomFillSync(bytes);
    fs.writeFileSync(join(folder, name), bytes);
    gitIn(folder, 'add', '--', name);
    gitIn(folder, 'commit', '--quiet', '-m', 'A large file');
    return gitIn(folder, 'rev-parse', 'HEAD').trim();
  }

  async function start(clone: string, health?: number): Promise<Receiver> {
    const receiver = await launchIn(clone, health === undefined ? {} : { health });
    teardown(() => void receiver.kill('SIGKILL'));
    return receiver;
  }

  /** Sends an article until it is stored, as the service does. @returns its id. */
  async function publish(receiver: Receiver, what: string): Promise<string> {
    const data = article();
    const began = performance.now();
    for (;;) {
      const sent = performance.now();
      const { status } = await receiver.post('article.published', data);
      const tookMs = Math.round(performance.now() - sent);
      answers.longestAnswerMs = Math.max(answers.longestAnswerMs, tookMs);
      note(`${what}: ${status} after ${tookMs} ms`);
      expectTrue(tookMs < ANSWER_MS, `a delivery should be answered within 30 s, not after ${tookMs} ms`);
      if (status === 200) break;
      answers.refused++;
      expectEqual(status, 503, `${what}: a delivery that cannot be stored yet should get a 503`);
      expectTrue(
        performance.now() - began < longestMs,
        `${what}: a delivery should be stored within ${Math.round(longestMs / 1_000)} s`,
      );
      await setTimeout(1_000);
    }
    answers.stored++;
    console.log(`  ${what}: stored after ${((performance.now() - began) / 1_000).toFixed(1)} s`);
    return data.id;
  }

  async function reached(what: string, holds: () => boolean): Promise<void> {
    const began = performance.now();
    while (!holds()) {
      expectTrue(performance.now() - began < longestMs, `${what} within ${Math.round(longestMs / 1_000)} s`);
      await setTimeout(500);
    }
    console.log(`  ${what}: after ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  }

  const idsOn = (git: (...args: string[]) => string) =>
    git('log', '--format=%(trailers:key=Article-Id,valueonly)', 'main');

  // a first push at level `push`: the remote has no branch yet
  const shared = await site('push', 'push');
  shared.clones.git('update-ref', '-d', 'refs/heads/main');
  const first = large(shared.clone, 'first.bin');
  const receiver = await start(shared.clone, 503);
  const one = await publish(receiver, `a first push of ${megabytes} MB at level push`);
  expectTrue(idsOn(shared.clones.git).includes(one), 'the remote should have the article');
  shared.clones.git('merge-base', '--is-ancestor', first, 'main');

  // another machine pushes as much, past the proxy
  const olga = join(dir, 'push', 'olga');
  gitIn(join(dir, 'push'), 'clone', '--quiet', shared.clones.remote, olga);
  const second = large(olga, 'second.bin');
  gitIn(olga, 'push', '--quiet');
  const two = await publish(receiver, `a fetch of ${megabytes} MB at level push`);
  shared.clones.git('merge-base', '--is-ancestor', second, 'main');
  await reached('the work tree follows', () => fs.existsSync(join(shared.clone, 'second.bin')));
  expectTrue(idsOn(shared.clones.git).includes(two), 'the remote should have the article');
  expectEqual(await receiver.stop(), 0, 'a receiver should end with 0 on SIGTERM');

  // a first push in the background
  const background = await site('disk', 'disk');
  background.clones.git('update-ref', '-d', 'refs/heads/main');
  large(background.clone, 'first.bin');
  const disk = await start(background.clone);
  const three = await publish(disk, 'level disk');
  const hasIt = () => {
    try {
      return idsOn(background.clones.git).includes(three);
    } catch {
      return false; // no branch yet
    }
  };
  await reached(`a first push of ${megabytes} MB in the background`, hasIt);
  commitFile(background.clone, 'notes.txt', 'Notes\n');
  expectEqual(await disk.stop(), 0, 'a receiver should end with 0 on SIGTERM');

  for (const { clones } of [shared, background])
    expectEqual(clones.git('fsck', '--full', '--no-dangling').trim(), '', 'git fsck should find nothing');
  const connections = shared.served.connections() + background.served.connections();
  const sent = Math.round((shared.served.bytes() + background.served.bytes()) / 1e6);
  return { megabytesOfEach: megabytes, megabytesSent: sent, connections, ...answers };
}
