import type { ExecutionContext, TestFn } from 'ava';
import { pino } from 'pino';
import { loadSettings, startApp } from 'pressmark';
import { describeError } from '../../src/log.js';
import { type Client, createClient } from './client.js';
import './normal-priority.js';
import {
  bareEnvironment,
  configure,
  LINES_SHOWN,
  type LogLine,
  NODE_OPTIONS_OF_TESTS,
  type ReceiverOptions,
  SITE_URL,
  STATUS_TOKEN,
} from './receiver.js';
import { SECRET } from './signer.js';
import { afterAll, shared, type Teardown } from './teardown.js';
import { tempDir } from './temp-dir.js';
import { patienceMs } from './until.js';

/** What a receiver in the test's process can be given. */
export interface HereOptions
  extends Pick<ReceiverOptions, 'storeOnly' | 'config' | 'env' | 'endpoint' | 'secret' | 'resend'> {
  /** Whether pages reload in browsers on this machine, as where `start` runs on a terminal. @default false */
  readonly live?: boolean;
  /** @default one that is free */
  readonly port?: number;
}

/** A receiver in the test's process. */
export interface ReceiverHere extends Client {
  readonly dir: string;
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  readonly port: number;
  readonly log: readonly LogLine[];
  /** Stops it in good order. */
  close(): Promise<void>;
}

/**
 * Starts a receiver on a site's folder in the test's process, which takes a small part of the CPU time of a process:
 * for tests that neither kill it nor look at its process. The caller must close it.
 */
export async function launchHere(dir: string, options: HereOptions = {}): Promise<ReceiverHere> {
  configure(dir, options);
  const env = {
    ...bareEnvironment(),
    NODE_OPTIONS: NODE_OPTIONS_OF_TESTS,
    PRESSMARK_SECRET: SECRET,
    PRESSMARK_SITE_URL: SITE_URL,
    PRESSMARK_STATUS_TOKEN: STATUS_TOKEN,
    ...options.env,
  };
  const settings = await loadSettings(dir, { port: options.port ?? 0, host: '127.0.0.1' }, env);
  const log: LogLine[] = [];
  const logger = pino(
    { level: settings.logLevel, base: null, serializers: { err: describeError } },
    { write: (line: string) => void log.push(JSON.parse(line)) },
  );
  // A slow machine must not fail a test of an adapter.
  const limit = patienceMs();
  const app = await startApp(settings, logger, {
    live: options.live ?? false,
    adapterLimits: { verify: limit, parse: limit, receive: limit },
  });
  const origin = `http://127.0.0.1:${app.port}`;
  let closing: Promise<void> | undefined;
  return {
    ...createClient(`${origin}${settings.endpoint}`, options),
    dir,
    origin,
    port: app.port,
    log,
    close: () => {
      closing ??= app.close();
      return closing;
    },
  };
}

/** Starts a receiver in the test's process that is closed after the test. A failed test shows its log. */
export async function startHere(
  t: Teardown & Partial<Pick<ExecutionContext, 'passed' | 'log'>>,
  options: HereOptions & { readonly dir?: string } = {},
): Promise<ReceiverHere> {
  const receiver = await launchHere(options.dir ?? tempDir(t), options);
  t.teardown(async () => {
    await receiver.close();
    if (t.passed !== false) return;
    for (const line of receiver.log.slice(-LINES_SHOWN)) t.log?.(JSON.stringify(line));
  });
  return receiver;
}

/**
 * Starts one receiver in the test's process for all tests of a file.
 *
 * @param prepare puts into the site's folder what is there before the start.
 * @returns a function that returns it, with the site's folder.
 */
export function sharedHere(
  test: TestFn,
  options: HereOptions = {},
  prepare: (dir: string) => unknown = () => undefined,
): (() => ReceiverHere) & { readonly dir: string } {
  const lasting = afterAll(test);
  const dir = tempDir(lasting);
  const started = shared(
    test,
    async (t) => {
      await prepare(dir);
      return startHere(t, { ...options, dir });
    },
    lasting,
  );
  return Object.assign(started, { dir });
}
