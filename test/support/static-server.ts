import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { ExecutionContext } from 'ava';

/** A web server as a host of static sites has it. */
export interface StaticServer {
  readonly origin: string;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.xml': 'application/xml',
};

/** The file of a page: a path with a slash at its end is that of a folder. */
export function pageOf(path: string): string {
  return path === '' || path.endsWith('/') ? `${path}index.html` : path;
}

/**
 * Serves a folder at a base path: a path with a slash at the end is the `index.html` of a folder, any other path is a
 * file. There are no redirects and no other guesses.
 *
 * @param basePath such as `/notes`; empty for the root.
 * @param port a free one by default.
 */
export async function serveFolder(folder: string, basePath: string, port = 0): Promise<StaticServer> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    const below = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined;
    const file = below === undefined ? undefined : join(folder, pageOf(below));
    const isFile = file !== undefined && fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true;
    response.writeHead(isFile ? 200 : 404, { 'Content-Type': TYPES[extname(file ?? '')] ?? 'text/plain' });
    response.end(isFile ? fs.readFileSync(file) : 'not found');
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: open } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${open}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Serves a folder until the test ends. @returns its address. */
export async function servedFolder(t: ExecutionContext, folder: string, port = 0): Promise<string> {
  const server = await serveFolder(folder, '', port);
  t.teardown(server.close);
  return server.origin;
}
