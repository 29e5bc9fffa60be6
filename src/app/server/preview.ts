import { extname } from 'node:path';
import type { Context, Middleware } from 'koa';
import { filesOfAddress } from '../../article/address/files-of-address.js';
import type { Log } from '../../log.js';
import type { LiveReload } from './live-reload.js';
import { sendFile } from './send-file.js';
import { inTurn, openServed, type ServedFile, servedPath } from './served-file.js';

/** Files with a hash of their content in the name: our style sheets and scripts, and Pagefind's index. */
const HASHED =
  /^(?:assets\/(?:.+\/)?[^/]+\.[0-9a-f]{8,}\.\w+|pagefind\/(?:.+\/)?[^/]+_[0-9a-f]{6,}\.pf_\w+)$/;

const FOR_EVER = 'public, max-age=31536000, immutable';
/** Cached, but revalidated each time by the ETag. */
const ASK_FIRST = 'no-cache';

/** A file and its path below the output folder. */
interface Found {
  readonly path: string;
  readonly file: ServedFile;
}

type Inject = ReturnType<LiveReload['inject']>;

export interface PreviewOptions {
  /** The built site, absolute. */
  readonly outputDir: string;
  /** The site's base path; `''` for the root. */
  readonly basePath: string;
  /** The webhook's path, where no file is served in any spelling. */
  readonly endpoint: string;
  /** The Content-Security-Policy of pages; undefined for none. */
  policy(): string | undefined;
  /** The redirect at the path of a removed article, or null for 410; undefined for any other path. */
  gone(path: string): string | null | undefined;
  /** Adds the script of the live reload to pages; undefined for none. */
  readonly liveReload: LiveReload | undefined;
  readonly log: Log;
}

/** Serves the built site as a static host would. */
export function preview({
  outputDir,
  basePath,
  endpoint,
  policy,
  gone,
  liveReload,
  log,
}: PreviewOptions): Middleware {
  const webhook = endpoint.replace(/^\/|\/$/g, '');

  return async (context, next) => {
    if (context.method !== 'GET' && context.method !== 'HEAD') return next();
    if (!`${context.path}/`.startsWith(`${basePath}/`)) {
      if (context.path === '/') return redirect(context, `${basePath}/`);
      return next();
    }
    context.set('X-Content-Type-Options', 'nosniff');
    const secured = policy();
    if (secured !== undefined) context.set('Content-Security-Policy', secured);
    if (context.path === basePath && basePath !== '') return redirect(context, `${basePath}/`);
    // Taken before the page is read, so that a page counts as outdated if a build ends meanwhile.
    const inject = liveReload?.inject(context.req);
    const address = context.path.slice(basePath.length);
    const path = servedPath(address);
    const isWebhook = servedPath(context.path)?.replace(/\/$/, '') === webhook;
    const found =
      path === undefined || isWebhook ? undefined : await inTurn(() => find(outputDir, address, path));
    if (found === undefined) return notFound(context, inject);
    if (found === 'folder') return redirect(context, `${context.path}/`);
    await sendPage(context, found, inject);
  };

  async function sendPage(context: Context, { path, file }: Found, inject: Inject): Promise<void> {
    context.type = extname(path) || 'bin';
    if (context.type === '') context.type = 'bin';
    context.set('Cache-Control', HASHED.test(path) ? FOR_EVER : ASK_FIRST);
    await sendFile(context, file, { log, insert: context.type === 'text/html' ? inject : undefined });
  }

  async function notFound(context: Context, inject: Inject): Promise<void> {
    const to = gone(context.path);
    if (typeof to === 'string') return redirect(context, to);
    const status = to === null ? 410 : 404;
    context.type = 'html';
    context.set('Cache-Control', ASK_FIRST);
    const page = await inTurn(() => findFile(outputDir, '404.html'));
    if (page !== undefined) return sendFile(context, page.file, { log, status, insert: inject });
    context.status = status;
    const words = to === null ? 'This page is gone.' : 'There is no such page.';
    context.body = `<p>${words}</p>\n${inject ?? ''}`; // not built yet
  }
}

/**
 * Finds the file at an address; 'folder' if the address lacks a folder's slash.
 *
 * @param path the address as a path, from `servedPath`.
 */
async function find(root: string, address: string, path: string): Promise<Found | 'folder' | undefined> {
  for (const name of filesOfAddress(address)) {
    const found = await findFile(root, name);
    if (found === undefined) continue;
    if (name !== `${path}/index.html`) return found;
    await found.file.handle.close();
    return 'folder';
  }
  return undefined;
}

async function findFile(root: string, path: string): Promise<Found | undefined> {
  const file = await openServed(root, path);
  return file === undefined || file === 'folder' ? undefined : { path, file };
}

/** Adds the slash to a folder's address, as the links in its page are relative to that. */
function redirect(context: Context, path: string): void {
  context.set('Cache-Control', ASK_FIRST);
  context.status = 301;
  context.redirect(/^https?:/.test(path) ? path : `${path}${context.search}`);
}
