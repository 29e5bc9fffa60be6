import { once as whenOnce } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { signedRequests } from './deliveries.js';
import { medianOf, milliseconds, type Row, table } from './figures.js';
import { load, once } from './load.js';
import { makeSite, type Receiver, startOurs } from './receivers.js';
import type { Workspace } from './workspace.js';

const EXAMPLES = fileURLToPath(new URL('../../../examples/plugins/', import.meta.url));

/** Publishes one at a time, and publishes at the same moment: so many rounds that count, after some that do not. */
const LEGS = [
  { at: 1, rounds: 40, warmUp: 10 },
  { at: 32, rounds: 24, warmUp: 3 },
] as const;
const MOST = LEGS.reduce((sum, { at, rounds, warmUp }) => sum + at * (rounds + warmUp), 0);

/** A receiver that has used no processor for so long, in milliseconds, has nothing left to do. */
const REST_MS = 500;

/** What the examples want to be told. */
const OPTIONS: Readonly<Record<string, (folder: string) => object>> = {
  backup: (folder) => ({ folder: join(folder, 'backups') }),
  images: () => ({ allowPrivate: true }),
  digest: () => ({ from: 'site@example.com', to: ['reader@example.com'] }),
  moderation: () => ({ words: ['a word that no text has'], origin: 'https://example.com' }),
};

const SECRETS = {
  ANNOUNCE_URL: 'https://example.invalid/announce',
  DIGEST_SMTP: 'smtp://127.0.0.1:9',
  JSON_WEBHOOK_SECRET: 'a secret of the benchmark',
  MICROPUB_TOKENS: 'a-token-of-the-benchmark',
  MODERATION_SECRET: 'a secret of the benchmark',
  WORDPRESS_APPLICATION_PASSWORDS: 'bench:abcd efgh ijkl mnop qrst uvwx',
};

/**
 * How long a publish waits for its answer with all example plugins loaded, against a site without any. Each finds a
 * receiver at rest: the commits, pages and jobs of the publish before belong to no answer.
 */
export async function plugins(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const examples = fs.readdirSync(EXAMPLES).filter((name) => /^[a-z].*\.mjs$/.test(name));
  const pictures = await servePicture();
  const none = await open(workspace.fresh('none'), []);
  const all = await open(workspace.fresh('all'), examples);
  const requests = signedRequests(0, MOST, `http://127.0.0.1:${pictures.port}/picture.png`);
  const rows: Row[] = [];
  for (const { at, rounds, warmUp } of LEGS) {
    const pairs: { none: number; all: number }[] = [];
    for (let round = 0; round < warmUp + rounds; round++) {
      const same = requests.splice(0, at);
      const ms = { none: Number.NaN, all: Number.NaN };
      for (const side of round % 2 === 0 ? (['none', 'all'] as const) : (['all', 'none'] as const)) {
        const { port, pid } = side === 'none' ? none : all;
        const { p50 } = await load({ port, connections: at, seconds: 600, next: once(same) });
        ms[side] = p50;
        await atRest(pid);
      }
      if (round >= warmUp) pairs.push(ms);
    }
    console.error(
      `plugins, ${at} at a time: ${pairs.map((pair) => (pair.all / pair.none).toFixed(2)).join(' ')}`,
    );
    rows.push({
      what: `${at === 1 ? 'a publish' : `${at} publishes at the same moment`} with ${examples.length} plugins and with none`,
      ours: milliseconds(medianOf(pairs, (pair) => pair.all)),
      against: milliseconds(medianOf(pairs, (pair) => pair.none)),
      ratio: medianOf(pairs, (pair) => pair.all / pair.none),
      goal: { kind: 'at most', value: 1.3 },
    });
  }
  await Promise.all([none.stop(), all.stop()]);
  pictures.close();
  return { text: table(['', 'all', 'none'], rows), rows };
}

async function open(folder: string, examples: readonly string[]): Promise<Receiver> {
  const site = makeSite(folder, { plugins: true });
  const config = {
    plugins: examples.map((file) => [
      join(EXAMPLES, file),
      ...[OPTIONS[file.replace('.mjs', '')]?.(folder)].filter((one) => one !== undefined),
    ]),
  };
  fs.writeFileSync(join(site, 'pressmark.config.json'), JSON.stringify(config));
  const receiver = await startOurs(site, SECRETS);
  await atRest(receiver.pid);
  return receiver;
}

/** The featured image of all articles, so that the job that stores it has its work. */
async function servePicture(): Promise<{ port: number; close(): void }> {
  const picture = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#764' } })
    .png()
    .toBuffer();
  const server = http
    .createServer((_request, response) =>
      response.writeHead(200, { 'Content-Type': 'image/png' }).end(picture),
    )
    .listen(0, '127.0.0.1');
  await whenOnce(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

/** Waits until a process, its threads and the programs that it has started have no work left. */
async function atRest(pid: number): Promise<void> {
  for (let before = Number.NEGATIVE_INFINITY; ; ) {
    const now = ticksOf(pid);
    if (now - before <= 1) return; // one for what is done at intervals
    before = now;
    await wait(REST_MS);
  }
}

/** The processor time of a process and of its children that have ended, in hundredths of a second. */
function ticksOf(pid: number): number {
  const fields = fs
    .readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}
