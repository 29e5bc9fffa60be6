// The process that indexes the site for its search; `search.ts` starts it.
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, systemCode } from '../errors.js';
import { filesBelow } from '../fs/files-below.js';
import { lowerPriority } from '../fs/process-priority.js';
import { syncFiles } from '../fs/sync-files.js';

/** The request to the indexing process. */
export interface SearchRequest {
  /** Absolute. */
  readonly outputDir: string;
  readonly stateDir: string;
  /** The index's folder, absolute. */
  readonly folder: string;
  /** The name of the file in this folder that records the version of the index. */
  readonly record: string;
  /** The pages that can be found. */
  readonly pages: readonly {
    /** The file of the page, below the output folder. */
    readonly file: string;
    /** The path below the site's base path. */
    readonly url: string;
    readonly digest: string;
  }[];
  /** The version of the index: a digest of the pages and of Pagefind's version. The same version is not made again. */
  readonly of: string;
}

/** How long the index may take to reach the disk, in milliseconds. */
const LONGEST_SYNC_MS = 60_000;

lowerPriority(process.pid);
process.once('disconnect', () => process.exit()); // the receiver was killed
process.once('message', (request: SearchRequest) => {
  replaceIndex(request).then(
    () => process.exit(),
    (error: unknown) => process.send?.(messageOf(error), () => process.exit(1)),
  );
});

/** Makes a new index in the state folder, and replaces the old one by it. */
async function replaceIndex(request: SearchRequest): Promise<void> {
  const { outputDir, stateDir, folder, record, pages, of } = request;
  const next = join(stateDir, 'pagefind');
  fs.rmSync(next, { recursive: true, force: true });
  // Not recursive: this process may outlive its receiver, and must not make a removed site's folder again.
  for (const made of [stateDir, next]) if (!fs.existsSync(made)) fs.mkdirSync(made);
  for (const { path, content } of await indexOf(outputDir, pages)) {
    fs.mkdirSync(dirname(join(next, path)), { recursive: true });
    fs.writeFileSync(join(next, path), content);
  }
  fs.writeFileSync(join(next, record), `${JSON.stringify({ of })}\n`);
  // Otherwise a power loss could leave an incomplete index with a record.
  const written = filesBelow(next).map((file) => join(next, file));
  if (!(await syncFiles(next, written, LONGEST_SYNC_MS))) throw new Error('the index could not be synced');
  const former = join(stateDir, 'pagefind.former');
  fs.rmSync(former, { recursive: true, force: true });
  try {
    if (fs.existsSync(folder)) fs.renameSync(folder, former);
    fs.renameSync(next, folder);
  } catch (error) {
    if (systemCode(error) !== 'EXDEV') throw error;
    // The output is on another file system.
    fs.rmSync(folder, { recursive: true, force: true });
    fs.cpSync(next, folder, { recursive: true });
    fs.rmSync(next, { recursive: true });
  }
  fs.rmSync(former, { recursive: true, force: true });
}

async function indexOf(outputDir: string, pages: SearchRequest['pages']) {
  const { createIndex } = await import('pagefind');
  const { index } = unwrap(await createIndex({}));
  if (index === undefined) throw new Error('Pagefind made no index');
  for (const { file, url } of pages) {
    const content = contentOf(join(outputDir, file));
    if (content !== undefined) unwrap(await index.addHTMLFile({ url, content }));
  }
  return unwrap(await index.getFiles()).files;
}

/** Reads a page; undefined if it was removed since, as another index is made after the next build. */
function contentOf(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function unwrap<T extends { errors: string[] }>(answer: T): T {
  const [error] = answer.errors;
  if (error !== undefined) throw new Error(`Pagefind: ${error}`);
  return answer;
}
