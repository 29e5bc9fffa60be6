import fs from 'node:fs';
import { join } from 'node:path';
import { gitIn } from '../../support/clones.js';
import type { Random } from '../../support/random.js';
import { createRandom } from '../../support/random.js';
import type { Tree } from './crash-model.js';
import { deliver, nothingSent, type Sent } from './deliveries.js';
import { start } from './promises.js';
import { isAbout, RECORDED_CALLS } from './recorded-disk.js';
import { type Call, parseStrace, STRACE_OPTIONS } from './strace-log.js';

/**
 * Which settings the recorded receivers have, in turn: their durability, or `site` for durability `disk` and pages. A short
 * run has the one with most promises.
 */
export const MODES = ['commit', 'disk', 'site'] as const;
export type Mode = (typeof MODES)[number];

/** The system calls with which a receiver changed its folder, and the deliveries that it got. */
export interface Recording {
  readonly mode: Mode;
  /** The site's folder, which is as it was when the receiver had ended. */
  readonly root: string;
  /** The content of the folder before the receiver started. */
  readonly base: Tree;
  readonly calls: readonly Call[];
  readonly sent: readonly Sent[];
}

/** Makes a site's folder that is a repository with one commit. */
export function makeSite(dir: string, mode: Mode, random: Random): void {
  fs.mkdirSync(dir, { recursive: true });
  const settings = {
    durability: mode === 'commit' ? 'commit' : 'disk',
    site: mode === 'site' ? { title: 'Bees', search: random.chance(0.3) } : false,
    logLevel: 'debug',
  };
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(settings));
  fs.writeFileSync(join(dir, '.gitignore'), 'public/\n.pressmark/\n');
  gitIn(dir, 'init', '--quiet', '--initial-branch=main', '--template=');
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'First');
}

/** How many senders there are at the same time. */
const LANES = 3;
const ARTICLES_PER_LANE = { disk: 4, commit: 2, site: 3 };

/**
 * Records a receiver from its start to its end while it gets publications and updates.
 *
 * @param dir the folder in which the recording is stored.
 */
export async function record(dir: string, mode: Mode, random: Random, seed: number): Promise<Recording> {
  fs.mkdirSync(dir, { recursive: true });
  const root = join(fs.realpathSync(dir), 'site');
  makeSite(root, mode, random);
  const base = readTree(root);
  const log = join(dir, 'calls.strace');
  const wrapper = ['strace', ...STRACE_OPTIONS, '-o', log, '-e', `trace=${RECORDED_CALLS}`];
  const receiver = await start(root, { wrapper });
  const sent: Sent[] = [];
  try {
    await Promise.all(
      Array.from({ length: LANES }, async (_, lane) => {
        const own = createRandom(`${mode} lane ${lane} ${random.integer(0, 2 ** 31)}`, seed);
        for (let count = 0; count < ARTICLES_PER_LANE[mode]; count++) {
          const one = nothingSent(`art-${lane}-${count}`);
          sent.push(one);
          const size = own.pick([200, 5_000, 30_000]);
          await deliver(receiver, one, { id: one.id, updates: own.integer(0, 3), size, random: own });
        }
      }),
    );
    const code = await receiver.stop();
    if (code !== 0) throw new Error(`the recorded receiver ended with ${code}: ${receiver.stderr()}`);
  } finally {
    await receiver.kill('SIGKILL');
  }
  const calls = parseStrace(fs.readFileSync(log, 'latin1'), isAbout(root));
  return { mode, root, base, calls, sent };
}

/** Reads a folder with all files and subfolders. */
export function readTree(folder: string): Tree {
  const tree = new Map<string, Buffer | Tree>();
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() && !entry.isFile()) throw new Error(`${path} is neither a file nor a folder`);
    tree.set(entry.name, entry.isDirectory() ? readTree(path) : fs.readFileSync(path));
  }
  return tree;
}
