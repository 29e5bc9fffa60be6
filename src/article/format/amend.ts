import { isDeepStrictEqual } from 'node:util';
import type { Article } from '../article.js';
import { editFrontMatter, type FrontMatterChange } from '../front-matter/edit.js';
import { readFrontMatter } from '../front-matter/read.js';
import { mapOf } from '../plain-data.js';
import { EXPIRY_KEY } from '../publication.js';
import type { BodyKind, StoredArticle } from '../stored-article.js';
import type { AddressOptions } from './address.js';
import { type ArticleDecoder, addressField } from './decode.js';
import { sealed } from './digest.js';
import type { EncodedFile } from './encode.js';
import { type ArticleFields, type BodyForm, bodyForm, entriesOf, lastOfEach } from './fields.js';
import type { FileFacts, FrontMatterValue, IncomingBody } from './mapping.js';
import { ownChanges, ownOf, type SiteKeys } from './site-keys.js';

/** A change that decides whether an article has a page. */
export interface StateChange {
  /** The reason why the article is held; undefined if it is not. */
  readonly held: string | undefined;
  /** The new date, ISO 8601; undefined keeps it. */
  readonly date?: string | undefined;
  /** The new expiry, ISO 8601; null for never, undefined keeps it. */
  readonly expires?: string | null | undefined;
}

/** Changes article files; see `articleAmender`. */
export type ArticleAmender = ReturnType<typeof articleAmender>;

/** The changes of a file. */
interface Rewriting {
  readonly changes: readonly FrontMatterChange[];
  /** Pressmark's own front matter. */
  readonly own: Readonly<Record<string, FrontMatterValue | undefined>>;
  /** The revision of a pristine file; undefined keeps the digest and the revision. */
  readonly revision: string | undefined;
  /** @default unchanged */
  readonly body?: string;
}

/**
 * Creates functions that change a site's article files. Text that a person wrote stays, in its order and place. Each change
 * throws ARTICLE_UNREADABLE if the front matter cannot be rewritten without loss.
 */
export function articleAmender(
  { mapping }: Pick<AddressOptions, 'mapping'>,
  { path, spellings }: SiteKeys,
  decoder: ArticleDecoder,
  fields: ArticleFields,
) {
  const { keys, constants } = mapping;
  const isTop = path.length === 0;

  function rewritten(text: string, { changes, own, revision, body }: Rewriting): string {
    const { data } = readFrontMatter(text);
    const names = spellings(data);
    const write = (seal: { readonly digest?: string; readonly revision?: string }) => {
      const all = lastOfEach([...changes, ...ownChanges(data, path, { ...own, ...seal })]);
      const spelled = all.map(({ key, value }) => ({ key: names.get(key) ?? key, value }));
      return editFrontMatter(text, spelled, body);
    };
    return revision === undefined ? write({}) : sealed(revision, (digest) => write({ digest, revision }));
  }

  /**
   * Makes the file that replaces another.
   *
   * @param previous the whole present file.
   * @param stored the same file, decoded.
   * @param next the new article. Of its `extra`, only keys that differ from the file's are written.
   * @param storedBody whether `next.body` is already in its stored form, from an earlier version of the file.
   */
  function amend(
    previous: string,
    stored: StoredArticle,
    next: Article,
    at: string,
    storedBody?: BodyKind,
  ): EncodedFile {
    const { data, own: present, article, address } = decoder.read(previous, at);
    const { body, kind, contentHtml } =
      storedBody === undefined ? bodyForm(mapping, next, at) : keptForm(next, storedBody, at);
    const where = (field: keyof typeof article, changes: FrontMatterChange[]) =>
      isDeepStrictEqual(article[field], next[field]) ? [] : changes;
    // The id was the path at that time; the file may have been renamed since.
    const isOfPerson = mapping.isArticlePath(article.id) && !isTop;
    // Without a date in the file, a generator may use the date of the update as the post's.
    const showsUpdate = data[keys.date] !== undefined || isTop || mapping.datesByName === true;
    const changes = [
      ...where('title', fields.title(next)),
      ...where('description', fields.description(next)),
      ...where('date', fields.date(next.date)),
      ...where('tags', fields.tags(next.tags, fields.tagsOfSite(data))),
      ...where('author', isOfPerson ? [] : fields.author(next.author, data)),
      ...where('image', fields.image(next.image, data)),
      ...(showsUpdate ? fields.updated(next.updated) : []),
      ...fields.extra(next.extra, (key) => !isDeepStrictEqual(stored.article.extra[key], next.extra[key])),
      ...[
        // A field that an update replaces, such as the title, may decide the address.
        ...(address?.kind === 'listed' ? entriesOf(fields.pin(article.url)) : []),
        ...entriesOf(body.frontMatter),
      ].filter(({ key, value }) => data[key] !== value),
      ...fields.held(next.held),
    ];
    const own = {
      ...fields.own({ ...next, body: body.text, contentHtml }, kind, at),
      before_hold: present.before_hold as FrontMatterValue | undefined,
    };
    const text = rewritten(previous, { changes, own, revision: next.revision, body: body.text });
    const after = decoder.read(text, at);
    const { publication } = after;
    return {
      text,
      article: { ...after.article, revision: next.revision },
      publication,
      ...addressField(after),
    };
  }

  /** The form of a body that is stored already. */
  function keptForm({ body: text, contentHtml }: Article, kind: BodyKind, at: string): BodyForm {
    return { body: { ...mapping.body(emptyBody(kind), at), text }, kind, contentHtml };
  }

  /**
   * Makes the file that shows or hides its article. A pristine file stays pristine and gets the revision; an edited one stays
   * edited.
   */
  function inState(text: string, at: string, change: StateChange, revision: string): EncodedFile {
    const { article, address, data, own: present } = decoder.read(text, at);
    const { held, date, expires } = change;
    // Always with the time, whatever form dates have on the site: a day alone would expire at its beginning.
    const expiry =
      expires == null || isTop ? (expires ?? undefined) : ({ kind: 'timestamp', text: expires } as const);
    const url = address?.kind === 'unknown' ? undefined : article.url;
    const changes = [
      ...(date === undefined ? [] : fields.date(date)),
      ...(expires === undefined ? [] : [{ key: EXPIRY_KEY, value: expiry }]),
      ...(held === undefined && article.held !== undefined
        ? entriesOf({ ...unheld(url), ...(mapOf(present.before_hold) as Rewriting['own']) })
        : fields.held(held)),
    ];
    const own = {
      // Without a page, nothing else keeps the URL.
      ...(held !== undefined && !isTop && url !== undefined && { url: fields.written(url) }),
      ...(date !== undefined && !isTop && { published: date }),
      held: held === undefined ? undefined : fields.written(held),
      ...(held === undefined && { before_hold: undefined }),
      ...(held !== undefined && article.held === undefined && { before_hold: beforeHold(data, url) }),
    };
    const after = restated(text, at, changes, own, revision);
    const stored = decoder.decode(after, at);
    return {
      text: after,
      article: stored.article,
      publication: stored.publication,
      ...addressField(stored),
    };
  }

  /**
   * The keys that hold an article, with the values that Pressmark writes for an article that is not held. @param url undefined
   * if unknown.
   */
  function unheld(url: string | undefined): Rewriting['own'] {
    const pin = url === undefined ? {} : fields.pin(url);
    const keys = Object.keys(mapping.held ?? {});
    return Object.fromEntries(keys.map((key) => [key, pin[key] ?? constants[key]]));
  }

  /** The values of these keys that a person has set; undefined if there are none. */
  function beforeHold(data: FileFacts['data'], url: string | undefined): FrontMatterValue | undefined {
    const own = Object.entries(unheld(url))
      .filter(([key, value]) => data[key] !== undefined && !isDeepStrictEqual(data[key], value))
      .map(([key]) => [key, data[key] as FrontMatterValue] as const);
    return own.length === 0 ? undefined : Object.fromEntries(own);
  }

  /**
   * Makes a file with another stored URL. A pristine file stays pristine and keeps its revision; an edited one stays edited.
   */
  function withStoredUrl(text: string, at: string, url: string): string {
    return restated(text, at, [], { url: fields.written(url) });
  }

  /** Changes a file but keeps a person's text. @param revision the revision of a pristine file. @default unchanged */
  function restated(
    text: string,
    at: string,
    changes: readonly FrontMatterChange[],
    changed: Rewriting['own'],
    revision?: string,
  ): string {
    const { edited, digest, article } = decoder.decode(text, at);
    const present = isTop ? {} : (ownOf(readFrontMatter(text).data, path) as Rewriting['own']);
    const isPristine = !edited && digest !== undefined;
    return rewritten(text, {
      changes,
      own: { ...present, ...changed },
      revision: isPristine ? (revision ?? article.revision) : undefined,
    });
  }

  return { amend, inState, withStoredUrl };
}

function emptyBody(kind: BodyKind): IncomingBody {
  return kind === 'html' ? { kind, html: '' } : { kind, markdown: '', html: '' };
}
