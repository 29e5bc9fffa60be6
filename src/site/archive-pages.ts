import type { SiteInfo } from '../host/page-types.js';
import { fileAt } from './addresses.js';
import { buildList, type Render, without } from './list-pages.js';
import { listPaths } from './lists.js';
import { numbered, sitePage, summaryOf } from './page.js';
import type { Round } from './round.js';
import { type Changes, isChanged, type Series } from './series.js';

/** Builds the home page with the newest articles and the archive with all of them, and remembers which there are. */
export function createArchivePages(site: SiteInfo, all: Series, pageSize: number) {
  const homeFile = fileAt('/');
  let archive: readonly string[] = [];

  /** Builds what may differ after `changes` and removes the pages that are no more. */
  async function build(round: Round, render: Render, changes: Changes): Promise<boolean> {
    const home = await buildHome(round, render, changes);
    const done = await buildList(round, render, '/archive/', all, changes, pageSize, (path, number) => {
      const description = { say: 'archiveOf', values: { site: site.title } };
      return sitePage(site, 'archive', path, { title: numbered({ say: 'archive' }, number), description });
    });
    const before = archive;
    archive = listPaths('/archive/', all.items.length, pageSize).map(fileAt);
    await round.remove(without(before, archive));
    return home && done;
  }

  async function buildHome(round: Round, render: Render, changes: Changes): Promise<boolean> {
    const { items } = all;
    if (!isChanged(changes, items.length - pageSize, Number.POSITIVE_INFINITY)) return true;
    const texts = { title: site.title, description: site.description };
    const articles = items.slice(-pageSize).reverse();
    return round.build(homeFile, () =>
      render({
        ...sitePage(site, 'home', '/', texts),
        articles: articles.map(({ entry }) => summaryOf(entry)),
      }),
    );
  }

  return { build, files: () => [homeFile, ...archive] };
}
