import type { SiteInfo } from '../host/page-types.js';
import { fileAt, linkBelow } from './addresses.js';
import { buildList, type Render, without } from './list-pages.js';
import { listPaths } from './lists.js';
import { localeOf } from './locale.js';
import { sitePage, type TagLink } from './page.js';
import type { Round } from './round.js';
import type { Tag, Tags } from './tags.js';

/** Tags on one page of the index. */
const TAGS_PER_PAGE = 500;

/** Builds the tags' pages and their index, and remembers which there are. */
export function createTagPages(site: SiteInfo, tags: Tags) {
  /** By the tag's name. */
  const filesOf = new Map<string, readonly string[]>();
  let indexFiles: readonly string[] = [];

  /**
   * Builds what may differ and removes the pages that are no more.
   *
   * @param names tags whose articles or address have changed.
   * @param gone names of tags that are no more.
   */
  async function build(
    round: Round,
    render: Render,
    names: Iterable<string>,
    gone: readonly string[],
  ): Promise<boolean> {
    let done = true;
    const before: string[] = [];
    const now: string[] = [];
    for (const name of gone) {
      before.push(...(filesOf.get(name) ?? []));
      filesOf.delete(name);
    }
    for (const name of names) {
      const tag = tags.get(name);
      if (tag === undefined) continue;
      before.push(...(filesOf.get(name) ?? []));
      const isDone = await buildTag(round, render, tag);
      now.push(...(filesOf.get(name) ?? []));
      done &&= isDone;
    }
    await round.remove(without(before, now));
    if (now.length === 0 && before.length === 0 && indexFiles.length > 0) return done;
    return (await buildIndex(round, render)) && done;
  }

  function buildTag(round: Round, render: Render, { name, slug, series }: Tag): Promise<boolean> {
    const address = `/tags/${slug}/`;
    filesOf.set(name, listPaths(address, series.items.length).map(fileAt));
    return buildList(round, render, address, series, series.takeChanges(), (path, number) => {
      const title = number === 0 ? name : `${name}: page ${number}`;
      return { ...sitePage(site, 'tag', path, { title, description: `Articles about ${name}` }), tag: name };
    });
  }

  /** The list of all tags, in the order of the site's language. */
  async function buildIndex(round: Round, render: Render): Promise<boolean> {
    let done = true;
    const { compare } = new Intl.Collator(localeOf(site.language));
    const sorted = [...tags.all()].sort((a, b) => compare(a.name, b.name) || (a.name < b.name ? -1 : 1));
    const pages = Math.max(1, Math.ceil(sorted.length / TAGS_PER_PAGE));
    for (let number = 1; number <= pages; number++) {
      const title = number === 1 ? 'Tags' : `Tags: page ${number}`;
      const frame = sitePage(site, 'tags', indexPath(number), {
        title,
        description: `Tags of ${site.title}`,
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
    const before = indexFiles;
    indexFiles = Array.from({ length: pages }, (_, index) => fileAt(indexPath(index + 1)));
    await round.remove(without(before, indexFiles));
    return done;
  }

  function linkOf({ name, slug, series }: Tag): TagLink {
    return { label: name, href: linkBelow(`/tags/${slug}/`, site), count: series.items.length };
  }

  return { build, files: () => [...indexFiles, ...[...filesOf.values()].flat()] };
}

function indexPath(number: number): string {
  return number === 1 ? '/tags/' : `/tags/page/${number}/`;
}
