import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { toyConfig, writeToySite } from '../integration/deploy/toy-generator.js';
import { signedRequests } from './deliveries.js';
import { medianOf, milliseconds, type Row } from './figures.js';
import { load, once } from './load.js';
import { startOurs } from './receivers.js';
import type { Workspace } from './workspace.js';

const ROUNDS = 5;
const CONNECTIONS = 4;
const PUBLISHED = 1_000;
/** The receiver starts, and its first build begins, within this time. */
const WARM_UP = 50;
/** The build runs for longer than the deliveries do. */
const BUILD_SECONDS = 60;

/** A generator that keeps a processor and the disk busy, and says that it has begun. */
const SLOW = `import fs from 'node:fs';
fs.mkdirSync('public', { recursive: true });
fs.writeFileSync(process.env.BEGUN, '');
for (const end = Date.now() + ${BUILD_SECONDS} * 1_000, page = 'page '.repeat(2_000); Date.now() < end; ) {
  let text = '';
  for (let n = 0; n < 200; n++) text += page.toUpperCase().replaceAll('A', String(n % 10));
  fs.writeFileSync('public/' + (Date.now() % 1_000) + '.html', text.slice(0, 20_000));
}
`;

/** What a build by another generator costs the deliveries that come while it runs. */
export async function besideBuild(workspace: Workspace): Promise<Row> {
  const rounds: { quiet: number; building: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const figures = { quiet: Number.NaN, building: Number.NaN };
    const order = round % 2 === 0 ? (['quiet', 'building'] as const) : (['building', 'quiet'] as const);
    for (const leg of order) figures[leg] = await p99Of(workspace.fresh(leg), leg === 'building');
    rounds.push(figures);
    console.error(
      `beside a build ${round + 1}/${ROUNDS}: p99 ${milliseconds(figures.quiet)}, ${milliseconds(figures.building)}`,
    );
  }
  return {
    what: `p99 of a publish at ${CONNECTIONS} connections, while a slow generator builds`,
    ours: milliseconds(medianOf(rounds, ({ building }) => building)),
    against: `${milliseconds(medianOf(rounds, ({ quiet }) => quiet))} without`,
    ratio: medianOf(rounds, ({ building, quiet }) => building / quiet),
    goal: { kind: 'at most', value: 1.5 },
  };
}

async function p99Of(folder: string, builds: boolean): Promise<number> {
  const dir = join(folder, 'site');
  const begun = join(folder, 'begun');
  const command = builds ? `BEGUN=${begun} node slow.mjs` : 'true';
  writeToySite(dir, {
    'slow.mjs': SLOW,
    'content/.keep': '',
    'pressmark.config.mjs': toyConfig().replace(
      "build: 'node toy.mjs'",
      `git: false, build: { command: '${command}', background: ${builds} }`,
    ),
  });
  const receiver = await startOurs(dir);
  try {
    await load({ port: receiver.port, connections: 1, seconds: 30, next: once(signedRequests(0, WARM_UP)) });
    while (builds && !fs.existsSync(begun)) await setTimeout(50);
    const next = once(signedRequests(WARM_UP, PUBLISHED));
    return (await load({ port: receiver.port, connections: CONNECTIONS, seconds: BUILD_SECONDS / 2, next }))
      .p99;
  } finally {
    await receiver.stop();
  }
}
