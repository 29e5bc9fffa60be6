import { hash } from 'node:crypto';
import { slugText } from '../../article/address/slug.js';
import { memoized, termKey } from '../../article/names.js';
import type { Post } from './article-entry.js';

/** A tag or an author, with its articles. */
export interface Term {
  /** The name in the spelling of its oldest article. */
  readonly name: string;
  /** The last segment of its page's address. */
  readonly slug: string;
  /** The path of its page, in its own script. */
  readonly address: string;
  /** Its articles, oldest first. */
  readonly posts: readonly Post[];
}

/** All terms of one kind, such as the tags. */
export interface Taxonomy {
  /** Returns the term of a name, in any spelling; see `termKey`. */
  get(name: string): Term | undefined;
  /** Lists the terms, in the order of their first articles. */
  all(): IterableIterator<Term>;
}

/** Makes an address's segment from a name; empty if no character of it is usable. */
export type TermSlug = (name: string) => string;

/** Keeps letters and digits of every script, like articles' slugs. Memoized, as it is slow. */
const inOwnScript: TermSlug = memoized(slugText);

/** Makes the taxonomy of articles' tags or authors. @param posts oldest first. */
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
  // If several names make the same slug ("C" and "C++"), the name that was used first gets it, and the others get a hash at the
  // end, so that a term's address does not change when new articles come.
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
