import { once } from 'node:events';
import { createServer } from 'node:net';
import { systemCode } from '../../src/errors.js';

/**
 * Below the ports that Linux chooses itself for connections and servers: between this process and the program that is
 * to listen, another process may get one of those. Browsers refuse some ports below 11,000.
 */
const FIRST = 11_000;
const COUNT = 20_000;

/** Processes that run at the same time begin at different ports. */
let next = process.pid * 16;

/** A port on which no process listens at this moment. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < COUNT; tried++) {
    const port = FIRST + (next++ % COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error(`all ports from ${FIRST} to ${FIRST + COUNT - 1} are in use`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (systemCode(error) === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
