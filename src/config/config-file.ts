import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { childEnvironment } from '../child-environment.js';
import { messageOf, PressmarkError } from '../errors.js';
import { within } from '../time-limit.js';

/** The time limit for loading the config's module, in milliseconds. */
const READ_MS = 30_000;

/** The possible names of the config file; the first one that exists is read. */
export const CONFIG_NAMES = [
  'pressmark.config.js',
  'pressmark.config.mjs',
  'pressmark.config.json',
  'pressmark.config.ts',
];

/** Reads only `plugins` of the config file, for a thread that functions cannot be passed to. */
export async function configuredPlugins(configFile: string | undefined): Promise<readonly unknown[]> {
  const { plugins } =
    configFile === undefined ? {} : ((await readConfigFile(configFile)) as { plugins?: unknown });
  return Array.isArray(plugins) ? plugins : [];
}

/**
 * Reads the export of a config file.
 *
 * @param limitMs the time limit for loading its module. @default 30 s
 * @throws PressmarkError CONFIG_INVALID.
 */
export async function readConfigFile(path: string, limitMs = READ_MS): Promise<object> {
  const value = path.endsWith('.json') ? readJson(path) : await importDefault(path, limitMs);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw invalid(`${path} must export its settings as an object: export default defineConfig({ … })`);
}

async function importDefault(path: string, limitMs: number): Promise<unknown> {
  const late = () => {
    throw new Error(`it was not loaded within ${limitMs / 1_000} s; its top-level await must resolve sooner`);
  };
  try {
    return (await within(limitMs, import(pathToFileURL(path).href), late)).default;
  } catch (cause) {
    throw unreadable(path, cause, placeOf(cause, path));
  }
}

/** Reads a JSON file. @throws PressmarkError CONFIG_INVALID with the line of the fault. */
export function readJson(path: string): unknown {
  let text = '';
  try {
    text = fs.readFileSync(path, 'utf8').replace(/^\ufeff/, '');
    return JSON.parse(text);
  } catch (cause) {
    const isCutOff = /^Unexpected end/.test(messageOf(cause));
    const position = isCutOff ? text.length : / at position (\d+)/.exec(messageOf(cause))?.[1];
    const line = text.slice(0, Number(position)).split('\n').length;
    throw unreadable(path, cause, position === undefined ? '' : ` (line ${line})`);
  }
}

function unreadable(path: string, cause: unknown, place: string): PressmarkError {
  return invalid(`${path} cannot be read: ${messageOf(cause).split('\n', 1)[0]}${place}`, cause);
}

/** The line at which a module fails to load, in brackets; empty if it is unknown. */
export function placeOf(cause: unknown, path: string): string {
  const { href } = pathToFileURL(path);
  // Node.js does not put the line of a syntax error in an ES module into the error, but prints it.
  const report =
    cause instanceof SyntaxError
      ? spawnSync(process.execPath, ['--check', path], { env: childEnvironment(), encoding: 'utf8' }).stderr
      : cause instanceof Error
        ? (cause.stack ?? '')
        : '';
  const place = report.split('\n').find((line) => line.includes(`${href}`) || line.includes(`${path}:`));
  const line = /:(\d+)(?::\d+)?\)?$/.exec(place ?? '')?.[1];
  return line === undefined ? '' : ` (line ${line})`;
}

/** The error for invalid settings. */
export function invalid(message: string, cause?: unknown): PressmarkError {
  return new PressmarkError('CONFIG_INVALID', message, { cause });
}
