import type { Article } from '../../article/article.js';
import { changeOf } from '../../article/own-revisions.js';
import { messageOf } from '../../errors.js';
import type { ArticleChange } from '../../host/hooks/hook-types.js';
import type { Hooks } from '../../host/hooks/hooks.js';
import type { Log } from '../../log.js';
import { catalogId } from '../../store/catalog/entry.js';
import type { Person } from '../identity.js';

/** How commit messages read, and who commits. */
export interface CommitSettings {
  /** Author and committer. @default what git is configured with, else `Pressmark <pressmark@localhost>` */
  readonly author?: Person | undefined;
  /** The message without its trailers; `:kind`, `:title`, `:id`, `:slug`, `:revision`, `:author` are replaced. */
  readonly message?: string | undefined;
  /** Whether subjects end in `[skip ci]`. @default false */
  readonly skipCi?: boolean | undefined;
  /** Whether people's edits of articles are committed too, each as `Edit: <title>`. @default false */
  readonly commitEdits?: boolean | undefined;
  /** Whether commits are signed with the owner's key and settings. @default false */
  readonly sign?: boolean | undefined;
}

/** How long a subject may be, in characters; what is longer is of no use in a list of commits. */
const MAX_SUBJECT = 200;
/** How long the text may be that a filter adds below the subject, in characters. */
const MAX_BODY = 10_000;

/** What a commit is about. */
export type CommitKind = 'Publish' | 'Update' | 'Change' | 'Revert' | 'Edit' | 'Remove' | 'Restore';

const KIND_OF_CHANGE = { admin: 'Edit', revert: 'Revert', patch: 'Change', state: 'Change' } as const;

/** The kind of a text that Pressmark has stored, by what the text says. */
export function kindOf({ revision, updated }: { revision: string; updated: string | null }): CommitKind {
  const change = changeOf(revision);
  // What a person has written in the admin is published as well.
  if (change === undefined || (change === 'admin' && updated === null))
    return updated === null ? 'Publish' : 'Update';
  return KIND_OF_CHANGE[change];
}

/** What happened to an article whose commit is of this kind. */
function eventOf(kind: CommitKind): 'article.published' | 'article.updated' | 'article.edited' {
  if (kind === 'Edit' || kind === 'Remove' || kind === 'Restore') return 'article.edited';
  return kind === 'Publish' ? 'article.published' : 'article.updated';
}

/** What a message may say of an article. */
type MessageArticle = Pick<Article, 'id' | 'title' | 'slug' | 'revision' | 'author'>;

/** The message without its trailers, from the config's template; its first line is the subject. */
export function messageText(kind: CommitKind, article: MessageArticle, template = ':kind: :title'): string {
  const { id, title, slug, revision, author } = article;
  const values: Readonly<Record<string, string>> = {
    kind,
    title: oneLine(title) || 'Untitled',
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

/** What stands in the trailers of a commit. */
export interface Trailers {
  readonly articleId: string;
  readonly revision: string;
  /** The delivery's `timestamp`; left out for what nobody delivered. */
  readonly delivered?: string;
}

/**
 * A whole commit message: the text (its first line is the subject, cut and cleaned) and the trailers as a
 * paragraph of their own at the end, where nothing in the text can take their place.
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

/** The subject of a whole message. */
export function subjectIn(message: string): string {
  return message.slice(0, message.indexOf('\n'));
}

/** White space and control characters become one space each time; at most `max` characters. */
function oneLine(text: string, max = MAX_SUBJECT): string {
  // cut first: a title may have a million characters
  const line = text
    .slice(0, 8 * MAX_SUBJECT)
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join('')}…`;
}

/**
 * A value as one line that cannot pass for another trailer: itself where it is plain, else as a JSON string
 * in which everything that is not printable is escaped.
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

/** Makes commit messages from the template; plugins filter them. A filter that fails keeps the message as it is. */
export function createMessages({ hooks, log, template, skipCi }: MessageOptions): MessageMaker {
  return async (kind, path, { article, text: fileText }) => {
    // From the file, where a crash does not lose it; by the contract it equals the delivery's own.
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
      // As the catalog knows them: those of an absurd length by their digests.
      articleId: catalogId(article.id),
      revision: catalogId(article.revision),
      ...((kind === 'Publish' || kind === 'Update') && { delivered: timestamp }),
    };
    return commitMessage(text, fallback, trailers, { skipCi });
  };
}
