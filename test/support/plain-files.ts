import type { Article } from '../../src/article/article.js';
import type { EncodedFile, NewArticle } from '../../src/article/format/encode.js';
import { plainFormat } from '../../src/article/format/plain.js';
import type { StoredArticle } from '../../src/article/stored-article.js';

/** The format of a site that Pressmark builds itself. */
const format = plainFormat((slug) => `https://none.example/${slug}/`);

/** The file of an article; without a revision, that of its first version. */
export const encode = (article: NewArticle, path = `${article.slug}.md`) => format.encode(article, path);

/** Reads the file of an article; one that a person wrote is known by `path`. */
export const decode = (text: string, path = 'none.md'): StoredArticle => format.decode(text, path);

/** The file that replaces another. */
export const amend = (previous: string, next: Article, path = 'none.md'): EncodedFile =>
  format.amend(previous, format.decode(previous, path), next, path);
