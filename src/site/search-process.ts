// The process that indexes the site for its search; `search.ts` starts it.
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, systemCode } from '../errors.js';
import { filesBelow } from '../fs/files-below.js';
import { lowerPriority } from '../fs/process-priority.js';
import { syncFiles } from '../fs/sync-files.js';

/** What the indexing process is asked for. */
export interface SearchRequest {
  /** Absolute. */
  readonly outputDir: string;
  readonly stateDir: string;
  /** The index's folder, absolute. */
  readonly folder: string;
  /** The name of the file in it that says of what the index was made. */
  readonly record: string;
  /** The pages that can be found. */
  readonly pages: readonly {
    /** Below the output folder. */
    readonly file: string;
    /** Below the site's base path. */
    readonly url: string;
    readonly digest: string;
  }[];
  /** Changes with the pages and with Pagefind; an index of the same is not made again. */
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

/** Makes a new index next to the old one and puts it in the old one's place. */
async function replaceIndex(request: SearchRequest): Promise<void> {
  const { outputDir, stateDir, folder, record, pages, of } = request;
  const next = join(stateDir, 'pagefind');
  fs.rmSync(next, { recursive: true, force: true });
  // Not with those above them: this process may outlive its receiver, and a site's folder that was removed must not come back.
  for (const made of [stateDir, next]) if (!fs.existsSync(made)) fs.mkdirSync(made);
  for (const { path, content } of await indexOf(outputDir, pages)) {
    fs.mkdirSync(dirname(join(next, path)), { recursive: true });
    fs.writeFileSync(join(next, path), content);
  }
  fs.writeFileSync(join(next, record), `${JSON.stringify({ of })}\n`);
  // Else a power loss could leave an index that says it is whole, and is not.
  const written = filesBelow(next).map((file) => join(next, file));
  if (!(await syncFiles(next, written, LONGEST_SYNC_MS))) throw new Error('the index could not be synced');
  const former = join(stateDir, 'pagefind.former');
  fs.rmSync(former, { recursive: true, force: true });
  try {
    if (fs.existsSync(folder)) fs.renameSync(folder, former);
    fs.renameSync(next, folder);
  } catch (error) {
    if (systemCode(error) !== 'EXDEV') throw error;
    // The output is mounted from elsewhere.
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

/** A page; undefined if it was removed since: the next build has another index made. */
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
