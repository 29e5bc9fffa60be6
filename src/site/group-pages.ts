import type { SiteInfo } from '../host/page-types.js';
import { fileAt } from './addresses.js';
import type { Group, Groups } from './groups.js';
import { buildList, type Render, without } from './list-pages.js';
import { listPaths } from './lists.js';
import type { ListChanges } from './model.js';
import { numbered, type Page, sitePage } from './page.js';
import type { Round } from './round.js';
import type { Text } from './words.js';

/** How the lists of one kind of group look. */
export interface GroupKind {
  readonly kind: 'tag' | 'author';
  /** The path below which their pages stand, ending in a slash. */
  readonly address: string;
  describe(name: string): Text;
}

/** The pages of the tags. */
export const TAG_PAGES: GroupKind = {
  kind: 'tag',
  address: '/tags/',
  describe: (tag) => ({ say: 'articlesAbout', values: { tag } }),
};

/** The pages of the authors. */
export const AUTHOR_PAGES: GroupKind = {
  kind: 'author',
  address: '/authors/',
  describe: (author) => ({ say: 'articlesBy', values: { author } }),
};

/** Builds the lists of groups, and remembers which pages there are. */
export function createGroupPages(site: SiteInfo, groups: Groups, look: GroupKind, pageSize: number) {
  /** By the group's name. */
  const filesOf = new Map<string, readonly string[]>();

  /** Builds what may differ and removes the pages that are no more. */
  async function build(round: Round, render: Render, { names, gone }: ListChanges): Promise<boolean> {
    let done = true;
    const before: string[] = [];
    const now: string[] = [];
    for (const name of gone) {
      before.push(...(filesOf.get(name) ?? []));
      filesOf.delete(name);
    }
    for (const name of names) {
      const group = groups.get(name);
      if (group === undefined) continue;
      before.push(...(filesOf.get(name) ?? []));
      const isDone = await buildGroup(round, render, group);
      now.push(...(filesOf.get(name) ?? []));
      done &&= isDone;
    }
    await round.remove(without(before, now));
    return done;
  }

  function buildGroup(round: Round, render: Render, { name, slug, series }: Group): Promise<boolean> {
    const address = `${look.address}${slug}/`;
    filesOf.set(name, listPaths(address, series.items.length, pageSize).map(fileAt));
    return buildList(round, render, address, series, series.takeChanges(), pageSize, (path, number): Page => {
      const texts = { title: numbered(name, number), description: look.describe(name) };
      const page = sitePage(site, look.kind, path, texts);
      return { ...page, [look.kind]: name };
    });
  }

  return { build, files: () => [...filesOf.values()].flat() };
}
