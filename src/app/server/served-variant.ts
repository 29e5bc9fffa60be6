import type { Context } from 'koa';
import { openServed, type ServedFile } from './served-file.js';

/** Types of which compressed files may lie next to the plain ones; pictures are compressed as they are. */
const COMPRESSIBLE = /\.(?:html?|css|m?js|json|map|xml|txt|svg|webmanifest|wasm)$/i;

/** By what servers and people call the files; the best first. */
const SUFFIXES = { br: '.br', gzip: '.gz' } as const;

type Encoding = keyof typeof SUFFIXES;

/** What is sent for a file: itself, or the compressed one in its folder that the client can read. */
export interface Variant {
  readonly file: ServedFile;
  /** Undefined for the plain file. */
  readonly encoding: Encoding | undefined;
}

/**
 * Chooses between a file and its compressed ones, closes the others, and says in `Vary` that there was
 * a choice.
 */
export async function chooseVariant(
  context: Context,
  root: string,
  path: string,
  plain: ServedFile,
): Promise<Variant> {
  if (!COMPRESSIBLE.test(path)) return { file: plain, encoding: undefined };
  const open = new Set([plain]);
  try {
    const variants: Variant[] = [];
    for (const encoding of ['br', 'gzip'] as const) {
      const file = await openServed(root, `${path}${SUFFIXES[encoding]}`);
      if (file === undefined || file === 'folder') continue;
      open.add(file);
      if (isOfThisText(file, plain)) variants.push({ file, encoding });
    }
    if (variants.length > 0) context.vary('Accept-Encoding');
    // One by one: where a client takes several, its order says nothing of what it likes best.
    const isRead = ({ encoding }: Variant) => context.acceptsEncodings(encoding ?? 'identity') === encoding;
    const chosen = variants.find(isRead) ?? { file: plain, encoding: undefined };
    open.delete(chosen.file);
    return chosen;
  } finally {
    for (const { handle } of open) await handle.close();
  }
}

/**
 * A compressed file that is older than the plain one was made of another text. Whole seconds: that is what
 * compressing programs copy from the plain file.
 */
function isOfThisText(compressed: ServedFile, plain: ServedFile): boolean {
  const [made, changed] = [compressed, plain].map(({ stat }) => stat.mtimeMs / 1_000n);
  return made !== undefined && changed !== undefined && made >= changed;
}
