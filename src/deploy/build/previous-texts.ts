import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../errors.js';

/** The texts that the output has of articles whose newest text is not built; see `createPreviousTexts`. */
export interface PreviousTexts {
  /** Keeps a text, in the place of the one that was kept for the path. */
  put(path: string, text: string): void;
  get(path: string): string | undefined;
  /** Removes all texts but those of these paths. */
  keepOnly(paths: ReadonlySet<string>): void;
}

/**
 * Keeps the texts of articles in a folder, so that an article whose new text breaks the build can stay in the output as it
 * was. They need not survive a power loss: without its text, such an article is excluded.
 *
 * @param folder absolute; made when the first text is kept.
 */
export function createPreviousTexts(folder: string): PreviousTexts {
  const nameOf = (path: string) => `${hash('sha256', path).slice(0, 32)}.md`;
  return {
    put(path, text) {
      const file = join(folder, nameOf(path));
      fs.mkdirSync(folder, { recursive: true });
      // Whole or not at all: a text that a kill has cut off would be published.
      const temp = `${file}.tmp`;
      fs.writeFileSync(temp, text);
      fs.renameSync(temp, file);
    },
    get(path) {
      try {
        return fs.readFileSync(join(folder, nameOf(path)), 'utf8');
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return undefined;
        throw error;
      }
    },
    keepOnly(paths) {
      const kept = new Set([...paths].map(nameOf));
      if (!fs.existsSync(folder)) return;
      for (const name of fs.readdirSync(folder)) if (!kept.has(name)) fs.rmSync(join(folder, name));
    },
  };
}
