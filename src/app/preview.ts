import fs from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Middleware } from 'koa';
import sirv from 'sirv';
import { systemCode } from '../errors.js';

/**
 * Serves the built site, so that what was published can be looked at.
 *
 * @param outputDir the built site, absolute.
 * @param basePath the path below which the site stands, `''` for the root.
 */
export function preview(outputDir: string, basePath: string): Middleware {
  // `dev`: files come and go while we run.
  const serve = sirv(outputDir, { dev: true, etag: true });
  return async (context, next) => {
    if (context.method !== 'GET' && context.method !== 'HEAD') return next();
    if (basePath !== '' && !`${context.path}/`.startsWith(`${basePath}/`)) {
      if (context.path === '/') return context.redirect(`${basePath}/`);
      return next();
    }
    context.respond = false;
    context.res.statusCode = 200;
    context.req.url = (context.req.url ?? '/').slice(basePath.length) || '/';
    // Opening a file can fail after all: too many are open, this one may not be read. sirv hears of no error of
    // the stream it makes, and an error that nobody hears ends the process.
    context.res.once('pipe', (file: Readable) => file.once('error', () => context.res.destroy()));
    const missing = () => notFound(outputDir, context.res, context.method === 'HEAD');
    if (isHidden(context.req.url)) missing();
    else serve(context.req, context.res, missing);
  };
}

/** Dot files are nobody's business; sirv leaves that check out while files come and go. */
function isHidden(url: string): boolean {
  try {
    return /\/\.(?!well-known\/)/.test(decodeURIComponent(url.split('?', 1)[0] ?? ''));
  } catch {
    return true; // not decodable, so no file's name
  }
}

function notFound(outputDir: string, response: ServerResponse, isHead: boolean): void {
  const page = readPage(join(outputDir, '404.html'));
  response.writeHead(404, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': page.length });
  response.end(isHead ? undefined : page);
}

function readPage(path: string): Buffer {
  try {
    return fs.readFileSync(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return Buffer.from('<p>There is no such page.</p>\n'); // not built yet
    throw error;
  }
}
