import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signedRequests } from './deliveries.js';
import { count, medianOf, milliseconds, type Row, table } from './figures.js';
import { type Load, load, once } from './load.js';
import { makeSite, startOurs } from './receivers.js';
import type { Workspace } from './workspace.js';

const EXAMPLES = fileURLToPath(new URL('../../../examples/plugins/', import.meta.url));

const ROUNDS = 9;
const SECONDS = 3;
const WARM_UP = 1_000;
const MOST = 12_000;

/** What the examples want to be told. */
const OPTIONS: Readonly<Record<string, (folder: string) => object>> = {
  backup: (folder) => ({ folder: join(folder, 'backups') }),
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

const CONNECTIONS = [1, 32] as const;
type Leg = Readonly<Record<(typeof CONNECTIONS)[number], Load>>;

/** How long a publish waits for its answer with all example plugins loaded, against a site without any. */
export async function plugins(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const examples = fs.readdirSync(EXAMPLES).filter((name) => /^[a-z].*\.mjs$/.test(name));
  const requests = signedRequests(0, MOST);
  const legs: { none: Leg; all: Leg }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const none = () => leg(workspace.fresh('none'), [], requests);
    const all = () => leg(workspace.fresh('all'), examples, requests);
    // What one leaves for the disk to do is borne by the next: each is the first as often as the other.
    const first = round % 2 === 0 ? await none() : await all();
    const second = round % 2 === 0 ? await all() : await none();
    legs.push(round % 2 === 0 ? { none: first, all: second } : { none: second, all: first });
    console.error(
      `plugins ${round + 1}/${ROUNDS}: ${CONNECTIONS.map((n) => shown(legs.at(-1), n)).join('; ')}`,
    );
  }
  const rows = CONNECTIONS.map(
    (connections): Row => ({
      what: `a publish with ${examples.length} plugins and with none, ${connections} connection${connections === 1 ? '' : 's'}`,
      ours: figure(legs.map(({ all }) => all[connections])),
      against: figure(legs.map(({ none }) => none[connections])),
      ratio: medianOf(legs, ({ all, none }) => all[connections].p50 / none[connections].p50),
      goal: { kind: 'at most', value: 1.3 },
    }),
  );
  return { text: table(['', 'all', 'none'], rows), rows };
}

function shown(legs: { none: Leg; all: Leg } | undefined, connections: (typeof CONNECTIONS)[number]): string {
  const [all, none] = [legs?.all[connections].p50 ?? Number.NaN, legs?.none[connections].p50 ?? Number.NaN];
  return `${milliseconds(all)} against ${milliseconds(none)}`;
}

function figure(loads: readonly Load[]): string {
  return `${milliseconds(medianOf(loads, ({ p50 }) => p50))}, ${count(medianOf(loads, ({ perSecond }) => perSecond))}/s`;
}

async function leg(folder: string, examples: readonly string[], requests: readonly Buffer[]): Promise<Leg> {
  const site = makeSite(folder, { plugins: true });
  const config = {
    plugins: examples.map((file) => [
      join(EXAMPLES, file),
      ...[OPTIONS[file.replace('.mjs', '')]?.(folder)].filter((one) => one !== undefined),
    ]),
  };
  fs.writeFileSync(join(site, 'pressmark.config.json'), JSON.stringify(config));
  const receiver = await startOurs(site, SECRETS);
  const { port } = receiver;
  const run = (connections: number, from: number, to: number) =>
    load({ port, connections, seconds: SECONDS, next: once(requests.slice(from, to)) });
  await run(32, 0, WARM_UP);
  const alone = await run(1, WARM_UP, WARM_UP + 2_000);
  const together = await run(32, WARM_UP + 2_000, MOST);
  await receiver.stop();
  return { 1: alone, 32: together };
}
