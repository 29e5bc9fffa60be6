import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestFn } from 'ava';
import type { Middleware } from 'koa';
import { pino } from 'pino';
import { bareServer } from '../../../support/bare-server.js';
import { STATUS_TOKEN } from '../../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../../support/temp-dir.js';

/** The HTTP side of a receiver, without a store and without a builder. */
export interface PreviewServer {
  /** The site's folder. */
  readonly dir: string;
  readonly port: number;
  readonly origin: string;
  /** The errors in its log. */
  readonly logged: readonly string[];
  /** Puts a file into the output folder; every test has names of its own. */
  put(file: string, bytes: string | Uint8Array): string;
}

/** Stands for the webhook, which has tests of its own. */
const webhook: Middleware = async (context, next) => {
  if (!/^\/webhook\/?$/.test(context.path)) return next();
  context.status = 405;
};

/** One server for all tests of a file. */
export function sharedPreview(test: TestFn): PreviewServer {
  const dir = makeTempDir();
  const outputDir = join(dir, 'public');
  const logged: string[] = [];
  const server = bareServer(outputDir, {
    webhook,
    details: () => ({ durability: 'disk' }),
    statusToken: STATUS_TOKEN,
    log: pino({ level: 'error' }, { write: (line) => void logged.push(line) }),
  });
  let port = 0;
  test.serial.before(async () => {
    port = await server.listen(0, '127.0.0.1');
  });
  test.after.always(async () => {
    await server.close({ unfinishedMs: 0, wholeMs: 0 });
    removeTempDir(dir);
  });
  return {
    dir,
    get port() {
      return port;
    },
    get origin() {
      return `http://127.0.0.1:${port}`;
    },
    logged,
    put: (file, bytes) => {
      const path = join(outputDir, file);
      fs.mkdirSync(dirname(path), { recursive: true });
      fs.writeFileSync(path, bytes);
      return path;
    },
  };
}
