import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { type Change, changesOf } from './operators.js';

/** A fault that is to be planted. */
export interface Fault extends Change {
  /** The same as long as its statement is the same, wherever it stands in its file. */
  readonly id: string;
  readonly room: string;
  /** Relative to src/, without its ending. */
  readonly module: string;
  /** `src/store/reading.ts:12`. */
  readonly place: string;
  /** The line before and after. */
  readonly before: string;
  readonly after: string;
}

/** A folder of src/, or `src` for the files directly in it. */
const roomOf = (module: string): string => (module.includes('/') ? (module.split('/', 1)[0] ?? '') : 'src');

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

/** No room is so small that fewer say anything. */
const FEWEST = 3;

/**
 * Chooses faults in all rooms, by their size. The same seed chooses the same ones, but for statements that have changed.
 *
 * @param dist the folder of the compiled files.
 * @param count of all rooms together; somewhat more where rooms are small.
 */
export function chooseFaults(dist: string, seed: number, count: number): Fault[] {
  const modules = fs
    .readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => path.slice(0, -'.ts'.length));
  const sizeOf = (paths: readonly string[]) =>
    paths.reduce((sum, path) => sum + fs.statSync(`src/${path}.ts`).size, 0);
  return [...new Set(modules.map(roomOf))].flatMap((room) => {
    const paths = modules.filter((module) => roomOf(module) === room);
    const share = Math.max(FEWEST, Math.round((count * sizeOf(paths)) / sizeOf(modules)));
    const all = paths.flatMap((module) => faultsOf(dist, room, module));
    return spread(
      all.sort((one, other) => (digest(seed + one.id) < digest(seed + other.id) ? -1 : 1)),
      share,
    );
  });
}

/** The first faults, but few in a file or of a kind, and one in a statement. */
function spread(faults: readonly Fault[], share: number): Fault[] {
  const chosen: Fault[] = [];
  const has = (most: number, isLike: (other: Fault) => boolean) => chosen.filter(isLike).length >= most;
  for (const fault of faults) {
    if (chosen.length === share) break;
    const isTooMuch =
      has(2, ({ module }) => module === fault.module) ||
      has(1, ({ id, place }) => id === fault.id || place === fault.place) ||
      has(Math.ceil(share / 5), ({ operator }) => operator === fault.operator);
    if (!isTooMuch) chosen.push(fault);
  }
  return chosen;
}

function faultsOf(dist: string, room: string, module: string): Fault[] {
  const path = join(dist, 'src', `${module}.js`);
  if (!fs.existsSync(path)) return [];
  const source = fs.readFileSync(path, 'utf8');
  const map = new SourceMap(JSON.parse(fs.readFileSync(`${path}.map`, 'utf8')));
  return changesOf(source).map((change) => {
    const { start, end, to, within } = change;
    const lineStart = source.lastIndexOf('\n', start - 1) + 1;
    const row = source.slice(0, start).split('\n').length - 1;
    const entry = map.findEntry(row, start - lineStart);
    const line = 'originalLine' in entry ? entry.originalLine + 1 : row + 1;
    const newline = source.indexOf('\n', end);
    const rest = source.slice(end, newline < 0 ? source.length : newline);
    const statement = source.slice(within.start, within.end);
    const kind = [module, change.operator, statement, start - within.start, to];
    return {
      ...change,
      id: digest(kind.join('\n')).slice(0, 8),
      room,
      module,
      place: `src/${module}.ts:${line}`,
      before: oneLine(source.slice(lineStart, end) + rest),
      after: oneLine(source.slice(lineStart, start) + to + rest),
    };
  });
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
