import fs from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../errors.js';

/**
 * Keeps the texts of which the last good output was made in a folder, by their digests, so that an article whose new text
 * breaks the build can stay in the output as it was. They need not survive a power loss: without its text, such an article is
 * left out.
 *
 * @param folder absolute; made with the first text.
 */
export function openGoodTexts(folder: string) {
  const names = () => new Set(fs.existsSync(folder) ? fs.readdirSync(folder) : []);
  return {
    get(digest: string | undefined): string | undefined {
      if (digest === undefined) return undefined;
      try {
        return fs.readFileSync(join(folder, digest), 'utf8');
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return undefined;
        throw error;
      }
    },
    /** Keeps these texts besides those that are there. */
    add(texts: ReadonlyMap<string, string>): void {
      fs.mkdirSync(folder, { recursive: true });
      const known = names();
      // Whole or not at all: a text that a kill has cut off would be published.
      const temp = join(folder, '.next');
      for (const [digest, text] of texts) {
        if (known.has(digest)) continue;
        fs.writeFileSync(temp, text);
        fs.renameSync(temp, join(folder, digest));
      }
    },
    /** Removes all texts but these. */
    keepOnly(digests: ReadonlySet<string>): void {
      for (const name of names()) if (!digests.has(name)) fs.rmSync(join(folder, name));
    },
  };
}
