import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { childEnvironment } from '../child-environment.js';
import { messageOf, PressmarkError } from '../errors.js';
import { within } from '../time-limit.js';

/** How long the config's module may take to be loaded, in milliseconds. */
const READ_MS = 10_000;

/** What a config file may be called; the first that is there counts. */
export const CONFIG_NAMES = [
  'pressmark.config.js',
  'pressmark.config.mjs',
  'pressmark.config.json',
  'pressmark.config.ts',
];

/** The config file's `plugins` alone, for a thread that functions do not reach otherwise. */
export async function configuredPlugins(configFile: string | undefined): Promise<readonly unknown[]> {
  const { plugins } =
    configFile === undefined ? {} : ((await readConfigFile(configFile)) as { plugins?: unknown });
  return Array.isArray(plugins) ? plugins : [];
}

/**
 * What a config file exports.
 *
 * @param limitMs how long its module may take to be loaded. @default 10 s
 * @throws PressmarkError CONFIG_INVALID.
 */
export async function readConfigFile(path: string, limitMs = READ_MS): Promise<object> {
  const late = () => {
    throw new Error(`it was not loaded within ${limitMs / 1_000} s; its top-level await must resolve sooner`);
  };
  try {
    const value: unknown = path.endsWith('.json')
      ? JSON.parse(fs.readFileSync(path, 'utf8'))
      : (await within(limitMs, import(pathToFileURL(path).href), late)).default;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (cause) {
    throw invalid(
      `${path} cannot be read: ${messageOf(cause).split('\n', 1)[0]}${placeOf(cause, path)}`,
      cause,
    );
  }
  throw invalid(`${path} must export its settings as an object: export default defineConfig({ … })`);
}

/** The line at which a config or another module cannot be read or run, in brackets; nothing if it is not known. */
export function placeOf(cause: unknown, path: string): string {
  const line = path.endsWith('.json') ? lineInJson(cause, path) : lineInModule(cause, path);
  return line === undefined ? '' : ` (line ${line})`;
}

function lineInJson(cause: unknown, path: string): number | undefined {
  const text = fs.readFileSync(path, 'utf8');
  const isCutOff = /^Unexpected end/.test(messageOf(cause));
  const position = isCutOff ? text.length : / at position (\d+)/.exec(messageOf(cause))?.[1];
  return position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
}

function lineInModule(cause: unknown, path: string): string | undefined {
  const { href } = pathToFileURL(path);
  // Node keeps the line of a syntax error in an ES module to itself, but prints it.
  const report =
    cause instanceof SyntaxError
      ? spawnSync(process.execPath, ['--check', path], { env: childEnvironment(), encoding: 'utf8' }).stderr
      : cause instanceof Error
        ? (cause.stack ?? '')
        : '';
  const place = report.split('\n').find((line) => line.includes(`${href}`) || line.includes(`${path}:`));
  return /:(\d+)(?::\d+)?\)?$/.exec(place ?? '')?.[1];
}

/** The error of settings that are wrong. */
export function invalid(message: string, cause?: unknown): PressmarkError {
  return new PressmarkError('CONFIG_INVALID', message, { cause });
}
