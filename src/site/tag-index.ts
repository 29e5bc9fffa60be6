import type { SiteInfo } from '../host/page-types.js';
import { fileAt, linkBelow } from './addresses.js';
import type { Group, Groups } from './groups.js';
import { type Render, without } from './list-pages.js';
import type { ListChanges } from './model.js';
import { numbered, sitePage, type TagLink } from './page.js';
import type { Round } from './round.js';

/** Tags on one page. */
const TAGS_PER_PAGE = 500;

/** Builds the list of all tags, and remembers which pages it has. */
export function createTagIndex(site: SiteInfo, tags: Groups) {
  let files: readonly string[] = [];

  /** Builds the list where a tag has come, gone or got another article. */
  async function build(round: Round, render: Render, { names, gone }: ListChanges): Promise<boolean> {
    if (names.size === 0 && gone.length === 0 && files.length > 0) return true;
    let done = true;
    // In the order of the site's language.
    const { compare } = new Intl.Collator(site.language);
    const sorted = [...tags.all()].sort((a, b) => compare(a.name, b.name) || (a.name < b.name ? -1 : 1));
    const pages = Math.max(1, Math.ceil(sorted.length / TAGS_PER_PAGE));
    for (let number = 1; number <= pages; number++) {
      const frame = sitePage(site, 'tags', indexPath(number), {
        title: numbered({ say: 'tags' }, number === 1 ? 0 : number),
        description: { say: 'tagsOf', values: { site: site.title } },
      });
      const page = {
        ...frame,
        tagLinks: sorted.slice((number - 1) * TAGS_PER_PAGE, number * TAGS_PER_PAGE).map(linkOf),
        newer: number > 1 ? indexPath(number - 1) : undefined,
        older: number < pages ? indexPath(number + 1) : undefined,
      };
      const isDone = await round.build(frame.file, () => render(page));
      done &&= isDone;
    }
    const before = files;
    files = Array.from({ length: pages }, (_, index) => fileAt(indexPath(index + 1)));
    await round.remove(without(before, files));
    return done;
  }

  function linkOf({ name, slug, series }: Group): TagLink {
    return { label: name, href: linkBelow(`/tags/${slug}/`, site), count: series.items.length };
  }

  return { build, files: () => files };
}

function indexPath(number: number): string {
  return number === 1 ? '/tags/' : `/tags/page/${number}/`;
}
