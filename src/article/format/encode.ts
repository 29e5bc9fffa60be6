import type { Article } from '../article.js';
import { newFrontMatter } from '../front-matter/edit.js';
import type { Publication } from '../publication.js';
import type { Address } from '../stored-article.js';
import type { AddressOptions } from './address.js';
import { type ArticleDecoder, addressField } from './decode.js';
import { sealed, sealedFirst } from './digest.js';
import { type ArticleFields, bodyForm, entriesOf, lastOfEach } from './fields.js';
import { ownChanges, type SiteKeys } from './site-keys.js';

/** An article to be stored, with or without its revision. */
export type NewArticle = Omit<Article, 'revision'> & Partial<Pick<Article, 'revision'>>;

/** An article's file, and the article in it. */
export interface EncodedFile {
  readonly text: string;
  readonly article: Article;
  /** Whether the URL is certain; undefined if the file pins it. */
  readonly address?: Address;
  /** When the article has a page. */
  readonly publication: Publication;
}

/** Makes the file of a new article. A missing revision is made from the rest of the file. */
export type ArticleEncoder = (article: NewArticle, path: string) => EncodedFile;

/** Creates the function that makes the files of new articles. */
export function articleEncoder(
  { mapping, listed }: Pick<AddressOptions, 'mapping' | 'listed'>,
  { path, constantTags }: SiteKeys,
  decoder: ArticleDecoder,
  fields: ArticleFields,
): ArticleEncoder {
  const { keys, constants } = mapping;
  const { [keys.tags ?? '']: _, ...otherConstants } = constants;

  return ({ revision: given, ...sent }, at) => {
    const { body, kind, contentHtml } = bodyForm(mapping, sent, at);
    const article = { ...sent, contentHtml };
    const ofArticle = [
      ...fields.title(article),
      ...fields.description(article),
      ...fields.date(article.date),
      ...fields.updated(article.updated),
      ...fields.tags(article.tags, constantTags),
      ...(article.author === '' ? [] : fields.author(article.author)),
      ...fields.categories(article.tags),
      ...fields.canonical(article.url),
      ...fields.image(article.image),
      // An empty field has the constant of its key.
    ].filter(({ key, value }) => value !== undefined && (value !== '' || otherConstants[key] === undefined));
    const entries = [
      ...ofArticle,
      ...entriesOf(otherConstants).filter(({ key }) => ofArticle.every((one) => one.key !== key)),
      ...fields.extra(article.extra),
      ...entriesOf(fields.pin(article.url)),
      ...entriesOf(body.frontMatter),
      ...fields.held(article.held),
    ].filter(({ value }) => value !== undefined);
    const stored = { ...article, body: body.text };
    const write = (digest: string, revision: string) => {
      const own = { ...fields.own({ ...stored, revision }, kind, at), digest };
      return newFrontMatter(lastOfEach([...entries, ...ownChanges({}, path, own)]), body.text);
    };
    const { text, revision } =
      given === undefined
        ? sealedFirst(write)
        : { text: sealed(given, (digest) => write(digest, given)), revision: given };
    const encoded = { text, article: { revision, ...stored } };
    if (listed === undefined) {
      const { held } = article;
      const data = { ...article.extra, [keys.date]: article.date, ...(held !== undefined && { held }) };
      return { ...encoded, publication: mapping.publication({ path: at, data }) };
    }
    const file = decoder.read(text, at);
    return { ...encoded, publication: file.publication, ...addressField(file) };
  };
}
