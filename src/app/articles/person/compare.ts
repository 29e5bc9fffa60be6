import { createRequire } from 'node:module';
import type * as Differ from 'diff';
import { escapeUTF8 } from 'entities';
import type { ArticleFields, Comparison } from '../../../host/articles/edits.js';

/** The limits of a comparison by line: deliveries wait for the same thread. */
const MOST_COMPARED = { lines: 5_000, different: 300 };

/** The differences between two versions of an article, or both texts if they are long or very different. */
export function compared(before: ArticleFields, after: ArticleFields): Comparison {
  const [old, now] = [textOf(before), textOf(after)];
  const isLong = [old, now].some(
    (text) => text.split('\n', MOST_COMPARED.lines).length === MOST_COMPARED.lines,
  );
  const pieces = isLong
    ? undefined
    : differ().diffLines(old, now, { maxEditLength: MOST_COMPARED.different });
  if (pieces === undefined) return apart(before, after);
  return {
    isByLine: true,
    pieces: pieces.map(({ added, removed, value }) => ({
      kind: added ? 'new' : removed ? 'old' : 'same',
      html: escapeUTF8(value),
    })),
  };
}

/** Both texts, whole. */
export function apart(before: ArticleFields, after: ArticleFields): Comparison {
  return {
    isByLine: false,
    pieces: [
      { kind: 'old', html: escapeUTF8(textOf(before)) },
      { kind: 'new', html: escapeUTF8(textOf(after)) },
    ],
  };
}

/** Loaded on demand, so that threads start fast. */
function differ(): typeof Differ {
  return createRequire(import.meta.url)('diff') as typeof Differ;
}

function textOf({ title, description, tags, author, image, body }: ArticleFields): string {
  return [title, description, author, tags.join(', '), image ?? '', '', body, ''].join('\n');
}
