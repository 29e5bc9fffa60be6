import type { Article } from '../../article/article.js';
import { changeOf } from '../../article/own-revisions.js';
import { messageOf } from '../../errors.js';
import type { ArticleChange } from '../../host/hooks/hook-types.js';
import type { Hooks } from '../../host/hooks/hooks.js';
import type { Log } from '../../log.js';
import { catalogId } from '../../store/catalog/entry.js';
import type { Person } from '../identity.js';

/** Settings for commits and their messages. */
export interface CommitSettings {
  /** Author and committer. @default the identity in git's config, else `Pressmark <pressmark@localhost>` */
  readonly author?: Person | undefined;
  /** The message without its trailers; `:kind`, `:title`, `:id`, `:slug`, `:revision`, `:author` are replaced. */
  readonly message?: string | undefined;
  /** Whether subjects end in `[skip ci]`. @default false */
  readonly skipCi?: boolean | undefined;
  /** Whether people's edits of articles are committed, each as `Edit: <title>`. @default false */
  readonly commitEdits?: boolean | undefined;
  /** Whether commits are signed with the owner's key and settings. @default false */
  readonly sign?: boolean | undefined;
}

/** The longest subject, in characters. */
const MAX_SUBJECT = 200;
/** The longest text below the subject, in characters. */
const MAX_BODY = 10_000;

/** The change that a commit makes, the first word of its subject. */
export type CommitKind = 'Publish' | 'Update' | 'Change' | 'Revert' | 'Edit' | 'Remove' | 'Restore';

const KIND_OF_CHANGE = { admin: 'Edit', revert: 'Revert', patch: 'Change', state: 'Change' } as const;

/** Returns the kind of a stored text, by its revision and date. */
export function kindOf({ revision, updated }: { revision: string; updated: string | null }): CommitKind {
  const change = changeOf(revision);
  // A new article from the admin is `Publish`, too.
  if (change === undefined || (change === 'admin' && updated === null))
    return updated === null ? 'Publish' : 'Update';
  return KIND_OF_CHANGE[change];
}

/** Returns the event for a kind of commit. */
function eventOf(kind: CommitKind): 'article.published' | 'article.updated' | 'article.edited' {
  if (kind === 'Edit' || kind === 'Remove' || kind === 'Restore') return 'article.edited';
  return kind === 'Publish' ? 'article.published' : 'article.updated';
}

/** The fields of an article for its message. */
type MessageArticle = Pick<Article, 'id' | 'title' | 'slug' | 'revision' | 'author'>;

/** Makes the message without its trailers from the template; its first line is the subject. */
export function messageText(kind: CommitKind, article: MessageArticle, template = ':kind: :title'): string {
  const { id, title, slug, revision, author } = article;
  const values: Readonly<Record<string, string>> = {
    kind,
    title: withoutCommands(oneLine(title)) || 'Untitled',
    id: oneLine(id),
    slug: oneLine(slug),
    revision: oneLine(revision),
    author: oneLine(author),
  };
  const text = template.replace(/:([a-z]+)/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
  );
  const end = text.indexOf('\n');
  return end === -1 ? oneLine(text) : `${oneLine(text.slice(0, end))}${text.slice(end)}`;
}

/**
 * Puts an invisible character into `#1`, `GH-1` and `[skip ci]`: no title may close an issue of the site's repository, or keep its
 * host from building the article.
 */
export function withoutCommands(title: string): string {
  return title.replace(/#(?=\d)|\bGH-(?=\d)|\[(?=(?:skip|no|ci|actions)[ -])/gi, '$&\u2060');
}

/** The trailers of a commit. */
export interface Trailers {
  readonly articleId: string;
  readonly revision: string;
  /** The delivery's `timestamp`; only for deliveries. */
  readonly delivered?: string;
}

/**
 * Makes a whole commit message: the text, whose first line is the shortened subject, and the trailers as the last paragraph,
 * where no text can imitate them.
 *
 * @param options.skipCi whether the subject ends in `[skip ci]`.
 */
export function commitMessage(
  text: string,
  fallback: string,
  { articleId, revision, delivered }: Trailers,
  { skipCi = false }: { skipCi?: boolean } = {},
): string {
  const [first = '', ...rest] = text
    .toWellFormed()
    .trimStart()
    .split(/\r\n|[\n\r]/);
  const mark = skipCi ? ' [skip ci]' : '';
  const longest = MAX_SUBJECT - mark.length;
  const subject = `${oneLine(first, longest) || oneLine(fallback, longest)}${mark}`;
  const body = rest
    .join('\n')
    .slice(0, MAX_BODY)
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .trim();
  const trailers = [
    `Article-Id: ${trailerValue(articleId)}`,
    `Revision-Id: ${trailerValue(revision)}`,
    ...(delivered === undefined ? [] : [`Delivery-Timestamp: ${trailerValue(delivered)}`]),
  ];
  const paragraphs = [subject, ...(body === '' ? [] : [body]), trailers.join('\n')];
  return `${paragraphs.join('\n\n')}\n`;
}

/** Returns the subject of a whole message. */
export function subjectIn(message: string): string {
  return message.slice(0, message.indexOf('\n'));
}

/** Replaces each run of white space and control characters by one space, and cuts the text to `max` characters. */
function oneLine(text: string, max = MAX_SUBJECT): string {
  // Cut first, as a title may have a million characters.
  const line = text
    .slice(0, 8 * MAX_SUBJECT)
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join('')}…`;
}

/**
 * Formats a value as one line that cannot pass for another trailer: unchanged if it is plain, else as a JSON string with
 * escapes for all characters that are not printable.
 */
export function trailerValue(value: string): string {
  if (/^(?!["\s])[^\p{C}\p{Zl}\p{Zp}]+$/u.test(value) && !/\s$/.test(value)) return value;
  return JSON.stringify(value).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(''),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

export interface MessageOptions {
  readonly hooks: Pick<Hooks, 'applyFilters'>;
  readonly log: Log;
  /** The message without its trailers. @default `:kind: :title` */
  readonly template: string | undefined;
  /** Whether subjects end in `[skip ci]`. */
  readonly skipCi: boolean;
}

/** Makes the whole commit message of an article's file; `path` is relative to the site's folder. */
export type MessageMaker = (
  kind: CommitKind,
  path: string,
  file: Pick<ArticleChange, 'article' | 'text'>,
) => Promise<string>;

/**
 * Makes commit messages from the template and runs the plugins' filters. If a filter fails, the message of the template is
 * used.
 */
export function createMessages({ hooks, log, template, skipCi }: MessageOptions): MessageMaker {
  return async (kind, path, { article, text: fileText }) => {
    // From the file, so that it survives a crash; by the contract it equals the delivery's `timestamp`.
    const timestamp = article.updated ?? article.date;
    const fallback = messageText(kind, article, template);
    let text = fallback;
    try {
      const context = { event: eventOf(kind), article, path, text: fileText, timestamp };
      text = await hooks.applyFilters('git.message', fallback, context);
    } catch (error) {
      log.warn({ path }, `the commit keeps its own message: ${messageOf(error)}`);
    }
    const trailers = {
      // In the form of the catalog, which replaces overlong ids by digests.
      articleId: catalogId(article.id),
      revision: catalogId(article.revision),
      ...((kind === 'Publish' || kind === 'Update') && { delivered: timestamp }),
    };
    return commitMessage(text, fallback, trailers, { skipCi });
  };
}
