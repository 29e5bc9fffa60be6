import { hash } from 'node:crypto';
import { slugText } from '../../article/address/slug.js';
import { memoized, termKey } from '../../article/names.js';
import type { Post } from './article-entry.js';

/** Articles that have a name in common, such as a tag or an author. */
export interface Term {
  /** As the oldest of its articles spells it. */
  readonly name: string;
  /** The segment of its page's address. */
  readonly slug: string;
  /** The path of its page, in its own script. */
  readonly address: string;
  /** Its articles, oldest first. */
  readonly posts: readonly Post[];
}

/** All terms of one kind, such as the tags. */
export interface Taxonomy {
  /** The term of a name, however that is spelled; see `termKey`. */
  get(name: string): Term | undefined;
  /** In the order of their first articles. */
  all(): IterableIterator<Term>;
}

/** What of a name can stand in an address; empty if that is nothing. */
export type TermSlug = (name: string) => string;

/** Letters and digits of every script, as in the slugs of articles. Slow. */
const inOwnScript: TermSlug = memoized(slugText);

/** The tags or the authors of articles. @param posts in their order. */
export function taxonomyOf(
  kind: 'tag' | 'author',
  posts: readonly Post[],
  slugOf: TermSlug = inOwnScript,
): Taxonomy {
  const namesIn = ({ tags, author }: Post) => (kind === 'tag' ? tags : [author].filter(Boolean));
  const lists = new Map<string, { readonly name: string; readonly posts: Post[] }>();
  for (const post of posts) {
    for (const name of namesIn(post)) {
      const key = termKey(name);
      const list = lists.get(key);
      if (list === undefined) lists.set(key, { name, posts: [post] });
      else list.posts.push(post);
    }
  }
  // Terms whose names make the same slug ("C" and "C++"): the one that was used first has it, the others get a hash
  // behind. So the articles alone decide, and a term's address stays when new articles come.
  const taken = new Set<string>();
  const terms = new Map<string, Term>();
  for (const [key, list] of lists) {
    const plain = slugOf(list.name);
    const isFree = plain !== '' && !taken.has(plain);
    const slug = isFree ? plain : `${plain || kind}-${hash('sha256', key).slice(0, 8)}`;
    if (isFree) taken.add(plain);
    terms.set(key, { ...list, slug, address: `/${kind}s/${slug}/` });
  }
  return { get: (name) => terms.get(termKey(name)), all: () => terms.values() };
}
