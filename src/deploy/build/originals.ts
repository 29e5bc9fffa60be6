import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { systemCode } from '../../errors.js';
import { discard, tempPath } from '../../fs/atomic-write.js';
import { bodyEnd, insert, type PageTokens } from './page-text.js';

/** How long an original is kept that no run has needed, in milliseconds. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** Stands at the end of a page that plugins have changed, with the digest of the page that the generator made. */
const MARK = /<!-- pressmark:page ([0-9a-f]{32}) -->(?=\s*(?:<\/body|<\/html|$))/i;

/** The digest of what the generator made of a page; undefined where plugins have not changed it since. */
export function markIn(html: string): string | undefined {
  return MARK.exec(html)?.[1];
}

/** The page with the mark of its original. */
export function marked(html: string, tokens: PageTokens, original: string): string {
  return insert(html, bodyEnd(html, tokens), `<!-- pressmark:page ${digestOf(original)} -->`);
}

/**
 * The pages that plugins have changed, as the generator has made them. A generator may leave a page alone that has not
 * changed: plugins then begin with its original again, so that nothing is in the page twice.
 */
export interface Originals {
  get(digest: string): string | undefined;
  keep(original: string): void;
  /** Removes those that no run has needed for a week. */
  sweep(): void;
}

/** @param folder where they are kept; it need not exist. */
export function openOriginals(folder: string): Originals {
  const used = new Set<string>();
  const pathOf = (digest: string) => join(folder, `${digest}.gz`);

  function get(digest: string): string | undefined {
    if (!fs.existsSync(pathOf(digest))) return undefined;
    used.add(digest);
    const original = unzipped(fs.readFileSync(pathOf(digest)));
    if (original !== undefined && digestOf(original) === digest) return original;
    discard(pathOf(digest)); // it is not synced: a power loss may have cut it short
    return undefined;
  }

  function keep(original: string): void {
    const digest = digestOf(original);
    used.add(digest);
    if (get(digest) !== undefined) return;
    fs.mkdirSync(folder, { recursive: true });
    const temp = tempPath(folder);
    fs.writeFileSync(temp, gzipSync(Buffer.from(original, 'latin1'), { level: 1 }), { flag: 'wx' });
    fs.renameSync(temp, pathOf(digest));
  }

  function sweep(): void {
    if (!fs.existsSync(folder)) return;
    const now = new Date();
    for (const name of fs.readdirSync(folder)) {
      const path = join(folder, name);
      try {
        if (used.has(name.replace(/\.gz$/, ''))) fs.utimesSync(path, now, now);
        else if (now.getTime() - fs.statSync(path).mtimeMs > KEPT_MS) discard(path);
      } catch (error) {
        // Another process has renamed or removed it.
        if (systemCode(error) !== 'ENOENT') throw error;
      }
    }
  }

  return { get, keep, sweep };
}

/** What was compressed; undefined where that is damaged. */
function unzipped(bytes: Buffer): string | undefined {
  try {
    return gunzipSync(bytes).toString('latin1');
  } catch {
    return undefined;
  }
}

/** @param html one character for each byte. */
function digestOf(html: string): string {
  return hash('sha256', Buffer.from(html, 'latin1')).slice(0, 32);
}
