import type { SiteInfo } from '../host/page-types.js';
import { fileAt } from './addresses.js';
import { buildList, type Render, without } from './list-pages.js';
import { listPaths } from './lists.js';
import { sitePage } from './page.js';
import type { Round } from './round.js';
import type { Changes, Series } from './series.js';

/** Builds the home page and its older pages, and remembers which there are. */
export function createHomePages(site: SiteInfo, all: Series) {
  let files: readonly string[] = [];

  /** Builds what may differ after `changes` and removes the pages that are no more. */
  async function build(round: Round, render: Render, changes: Changes): Promise<boolean> {
    const done = await buildList(round, render, '/', all, changes, (path, number) => {
      const title = number === 0 ? site.title : `Page ${number}`;
      return sitePage(site, 'home', path, { title, description: site.description });
    });
    const before = files;
    files = listPaths('/', all.items.length).map(fileAt);
    await round.remove(without(before, files));
    return done;
  }

  return { build, files: () => files };
}
