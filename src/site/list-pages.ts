import { changedPages } from './lists.js';
import { type Page, summaryOf } from './page.js';
import type { Round } from './round.js';
import type { Changes, Series } from './series.js';

/** Makes a page's HTML. */
export type Render = (page: Page) => Promise<string>;

/**
 * Builds those pages of a list that may look different after `changes`.
 *
 * @param address the list's own path, ending in a slash.
 * @param frameOf the page without its articles, by its path and number (0 is the list's own page).
 * @returns whether all were done.
 */
export async function buildList(
  round: Round,
  render: Render,
  address: string,
  series: Series,
  changes: Changes,
  pageSize: number,
  frameOf: (path: string, number: number) => Page,
): Promise<boolean> {
  let done = true;
  for (const { path, number, items, newer, older } of changedPages(address, series, changes, pageSize)) {
    const frame = frameOf(path, number);
    const isDone = await round.build(frame.file, () =>
      render({ ...frame, articles: items.map(({ entry }) => summaryOf(entry)), number, newer, older }),
    );
    done &&= isDone;
  }
  return done;
}

/** Those of `files` that are not among `kept`. */
export function without(files: readonly string[], kept: Iterable<string>): string[] {
  const staying = new Set(kept);
  return files.filter((file) => !staying.has(file));
}
