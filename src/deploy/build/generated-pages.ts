import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { systemCode } from '../../errors.js';
import { discard, tempPath } from '../../fs/atomic-write.js';
import { bodyEnd, insert, type PageTokens } from './page-text.js';

/** How long a page is kept that no run has needed, in milliseconds. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** Stands at the end of a page that plugins have changed, with the digest of the page that the generator made. */
const COMMENT = /<!-- pressmark:page ([0-9a-f]{32}) -->(?=\s*(?:<\/body|<\/html|$))/i;

/** The digest of what the generator made of a page; undefined where plugins have not changed it since. */
export function generatedDigestIn(html: string): string | undefined {
  return COMMENT.exec(html)?.[1];
}

/** The page that plugins have changed, with the digest of the page that the generator made. */
export function withGeneratedDigest(html: string, tokens: PageTokens, generated: string): string {
  return insert(html, bodyEnd(html, tokens), `<!-- pressmark:page ${digestOf(generated)} -->`);
}

/**
 * The pages that plugins have changed, as the generator has made them. A generator may leave a page alone that has not
 * changed: plugins then begin with what it had made, so that nothing is in the page twice.
 */
export interface GeneratedPages {
  get(digest: string): string | undefined;
  keep(generated: string): void;
  /** Removes those that no run has needed for a week. */
  sweep(): void;
}

/** @param folder where they are kept; it need not exist. */
export function openGeneratedPages(folder: string): GeneratedPages {
  const used = new Set<string>();
  const pathOf = (digest: string) => join(folder, `${digest}.gz`);

  function get(digest: string): string | undefined {
    if (!fs.existsSync(pathOf(digest))) return undefined;
    used.add(digest);
    const generated = unzipped(fs.readFileSync(pathOf(digest)));
    if (generated !== undefined && digestOf(generated) === digest) return generated;
    discard(pathOf(digest)); // it is not synced: a power loss may have cut it short
    return undefined;
  }

  function keep(generated: string): void {
    const digest = digestOf(generated);
    used.add(digest);
    if (get(digest) !== undefined) return;
    fs.mkdirSync(folder, { recursive: true });
    const temp = tempPath(folder);
    fs.writeFileSync(temp, gzipSync(Buffer.from(generated, 'latin1'), { level: 1 }), { flag: 'wx' });
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
