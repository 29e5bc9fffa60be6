import { randomBytes } from 'node:crypto';
import { type Article, type ArticleDraft, draftOf } from '../../article/article.js';
import type { Amended } from '../../article/format/amend.js';
import { termKey, termName, termNames, trimmedName } from '../../article/names.js';
import { isOfPerson, isPersonsId, revisionFor } from '../../article/own-revisions.js';
import type { StoredArticle } from '../../article/stored-article.js';
import { withLf } from '../../article/text/line-ends.js';
import type { Settings } from '../../config/load.js';
import { MAX_BODY_BYTES } from '../../contract/limits.js';
import { PressmarkError, quote } from '../../errors.js';
import type { Editors } from '../../git/commit/editors.js';
import type {
  ArticleEdits,
  ArticleFields,
  ArticleRevision,
  EditableArticle,
} from '../../host/articles/edits.js';
import type { Editor } from '../../host/articles/trash.js';
import { type ReadFile, readArticle } from '../../store/catalog/entry.js';
import type { Found } from '../../store/reading.js';
import type { Surroundings } from '../../webhook/events/handler.js';
import { publishDraft } from '../../webhook/events/published.js';
import { checkBase, createChange, isHtml, withContent } from './change-article.js';
import { type ArticleHistory, historyOfFile, type Revision } from './history/article-history.js';
import { pick, reversion, versionIn } from './history/revert.js';
import { type HostArticlesOptions, listedArticle, type SetStateAs } from './host-articles.js';

export interface PersonEditsOptions extends Omit<HostArticlesOptions, 'receive' | 'catalog'> {
  readonly settings: Settings;
  readonly around: Surroundings;
  readonly editors: Editors;
  readonly setStateAs: SetStateAs;
}

/** What people do with articles in an admin. Who does it is noted first: the commit has them for its author. */
export function createPersonEdits(options: PersonEditsOptions): ArticleEdits {
  const { settings, store, content, prefix, around, editors, setStateAs } = options;
  const changed = createChange(options);

  /** What a person edits: the Markdown, or the HTML, as it came. */
  function editableText(stored: StoredArticle): string {
    const { body, contentHtml } = stored.article;
    if (stored.bodyEdited) return body;
    return isHtml(stored) ? contentHtml : content.format.sentBody(body);
  }

  /** Why the text is not for the admin: a person has written template code in it, which would not run any more. */
  async function lockedText(
    read: Pick<ReadFile, 'text' | 'stored'>,
    path: string,
  ): Promise<string | undefined> {
    const { body } = read.stored.article;
    if (!read.stored.bodyEdited) return undefined;
    const same = await withContent(content, read, path, { body, revision: 'edit' });
    if (same.article.body.startsWith(body.trimEnd())) return undefined;
    return 'holds template code, which runs only where it is written in the file';
  }

  async function open(id: string): Promise<EditableArticle | undefined> {
    const found = await store.get(id);
    if (found === undefined) return undefined;
    const { publication, address, digest, edited } = found;
    const locked = found.bodyEdited
      ? await lockedText(await readArticle(content, found.path), found.path)
      : undefined;
    const until = publication.kind === 'dated' ? publication.until : undefined;
    return {
      ...listedArticle(`${prefix}${found.path}`, found),
      editable: editableText(found),
      bodyKind: isHtml(found) ? 'html' : 'markdown',
      edited: edited && digest !== undefined,
      ...(address?.kind === 'unknown' && { uncertain: address.reason }),
      ...(locked !== undefined && { locked }),
      ...(until !== undefined && { expires: new Date(until).toISOString() }),
    };
  }

  async function edit(
    id: string,
    base: string,
    fields: Partial<ArticleFields>,
    by: Editor,
  ): Promise<Article> {
    const revision = revisionFor('admin');
    return changed(id, async (read, path) => {
      const { article } = read.stored;
      const given = checked(fields, article);
      const { body, ...others } = given;
      if (await isStoredBy(by, read, path, given)) return { ...read.stored, text: read.text };
      checkBase(article, base);
      const isSame = body === undefined || body === withLf(editableText(read.stored));
      if (isSame && isUnchanged(article, others)) return { ...read.stored, text: read.text };
      const locked = isSame ? undefined : await lockedText(read, path);
      if (locked !== undefined) throw invalid('text', locked);
      const updated = new Date().toISOString();
      const next = await withContent(content, read, path, {
        ...others,
        body: isSame ? undefined : body,
        updated,
        revision,
      });
      if (others.author !== undefined && next.article.author !== others.author)
        throw new PressmarkError(
          'BODY_INVALID',
          'the author of this post stands in its file alone and cannot be changed here',
        );
      await note(revision, by);
      return { ...next, seals: true };
    });
  }

  /** Whether the same person has stored the same before, whose answer has not come. */
  async function isStoredBy(
    by: Editor,
    read: ReadFile,
    path: string,
    fields: Partial<ArticleFields>,
  ): Promise<boolean> {
    const { article, edited } = read.stored;
    const { revision, updated } = article;
    if (edited || editors.of(revision)?.name !== by.name) return false;
    const { body, tags, author, ...others } = fields;
    const terms = {
      // as the site spells them
      ...(tags !== undefined && !isSameTerm(tags.join('\0'), article.tags.join('\0')) && { tags }),
      ...(author !== undefined && !isSameTerm(author, article.author) && { author }),
    };
    const isSame = body === undefined || body.trim() === withLf(editableText(read.stored)).trim();
    if (isSame) return isUnchanged(article, { ...others, ...terms });
    const next = { ...others, ...terms, body, revision, ...(updated !== null && { updated }) };
    return (await withContent(content, read, path, next)).text === read.text;
  }

  const create: ArticleEdits['create'] = async (fields, by) => {
    const given = checked(fields);
    const { key = randomBytes(8).toString('hex') } = fields;
    const id = `admin-${key}`;
    if (!isPersonsId(id)) throw invalid('key', `${quote(key)} is not 16 hexadecimal digits`);
    const draft = newDraft(id, given, fields.slug);
    const held = fields.state === 'held' ? { held: `by ${by.name}` } : {};
    const before = await store.get(id);
    const revision = before === undefined ? revisionFor('admin') : before.article.revision;
    if (before === undefined) await note(revision, by);
    const made = () => ({ ...draft, revision, ...held });
    const { url, outcome, after } = await publishDraft(id, made, draft.date, around);
    void after?.();
    if (outcome === 'deleted')
      throw new PressmarkError('USAGE', 'the article was removed after it was stored');
    // The form was sent again: it may have another text by now.
    if (before !== undefined) await edit(id, '', given, by);
    return { id, url };
  };

  const draft: ArticleEdits['draft'] = async (fields, id) => {
    if (id === undefined) {
      const made = await content.codec.encode(
        {
          ...newDraft('preview', checked(fields), undefined),
          updated: null,
          url: content.layout.url('preview', ''),
        },
        'preview.md',
      );
      return shown('preview.md', made);
    }
    const found = await mustGet(id);
    const { path } = found;
    const read = await readArticle(content, path);
    const { body, ...others } = checked(fields, found.article);
    const isSame = body === withLf(editableText(read.stored));
    const revision = read.stored.article.revision;
    const change = { ...others, body: isSame ? undefined : body, revision };
    return shown(path, await withContent(content, read, path, change));
  };

  async function shown(path: string, { text, article }: Pick<Amended, 'text' | 'article'>) {
    const stored = await content.codec.decode(text, path);
    return { path: `${prefix}${path}`, text, article, html: await store.htmlOf(stored) };
  }

  const setStateBy: ArticleEdits['setStateBy'] = async (id, state, at, by) =>
    setStateAs(id, state, at, { who: by.name, note: (revision) => note(revision, by) });

  async function history(id: string, most?: number): Promise<readonly ArticleRevision[]> {
    const found = await mustGet(id);
    const { revisions } = await historyOf(found, most);
    return revisions.slice(0, most).map((one) => revisionOf(one, editors));
  }

  async function at(id: string, revision: string): Promise<Article> {
    const found = await mustGet(id);
    if (found.article.revision === revision) return { ...found.article, body: editableText(found) };
    const { stored } = versionIn(await historyOf(found), revision);
    return { ...stored.article, body: editableText(stored) };
  }

  const revert: ArticleEdits['revert'] = async (id, wanted, base, by) => {
    const found = await mustGet(id);
    checkBase(found.article, base);
    const history = await historyOf(found);
    const { target, replacement } = await reversion(content, history, pick(history, wanted));
    await note(target.revision, by);
    await around.noteJobs?.('article.updated', { id, base, timestamp: replacement.updated });
    const { stored } = await store.update(target, async () => replacement);
    if (stored === undefined) return (await mustGet(id)).article;
    const timestamp = replacement.updated;
    const change = around.changeOf(stored);
    void around.hooks.doAction('article.updated', { event: 'article.updated', timestamp, ...change });
    return stored.article;
  };

  /** Notes whose a revision is. */
  async function note(revision: string, by: Editor): Promise<void> {
    try {
      await editors.note(revision, personOf(by));
    } catch (cause) {
      throw new PressmarkError('STORE_FAILED', 'the author of the change could not be noted', { cause });
    }
  }

  async function mustGet(id: string): Promise<Found> {
    const found = await store.get(id);
    if (found === undefined)
      throw new PressmarkError('ARTICLE_NOT_FOUND', `there is no article with the id ${quote(id)}`);
    return found;
  }

  /** With the current version at its beginning where no commit has it yet. */
  async function historyOf(found: Found, most?: number): Promise<ArticleHistory> {
    const { id, url, revision } = found.article;
    const now = { stored: found };
    const history = await historyOfFile(settings, content, { id, path: found.path, url }, now, most);
    if (history.revisions.some(({ current }) => current)) return history;
    const uncommitted: Revision = {
      revision,
      commit: null,
      keptIn: null,
      date: '',
      author: { name: '', email: '' },
      subject: '',
      current: true,
      stored: found,
    };
    return { ...history, revisions: [uncommitted, ...history.revisions] };
  }

  return { open, edit, create, draft, setStateBy, history, at, revert };
}

/** A new article. @param slug @default made of the title. */
function newDraft(id: string, fields: Partial<ArticleFields>, slug: string | undefined): ArticleDraft {
  const { title = '', description = '', tags = [], author = '', image = null, body = '' } = fields;
  if (title === '') throw invalid('title', 'is empty');
  if (body.trim() === '') throw invalid('text', 'is empty');
  return draftOf({
    id,
    title,
    slug: slug || title,
    content_html: '',
    content_markdown: body,
    meta_description: description,
    focus_keyword: '',
    featured_image_url: image,
    tags: [...tags],
    author,
    published_at: new Date().toISOString(),
    json_ld: '',
  });
}

function isUnchanged(article: Article, fields: Partial<Omit<ArticleFields, 'body'>>): boolean {
  const { title, description, tags, author, image } = article;
  const now = { title, description, author, image };
  const sameTags = fields.tags === undefined || fields.tags.join('\0') === tags.join('\0');
  return (
    sameTags &&
    Object.entries(now).every(([key, value]) => {
      const next: unknown = Object.entries(fields).find(([name]) => name === key)?.[1];
      return next === undefined || next === value;
    })
  );
}

function isSameTerm(one: string, other: string): boolean {
  return termKey(one) === termKey(other);
}

function revisionOf(
  { revision, current, date, author, subject, commit, keptIn, stored }: Revision,
  editors: Editors,
): ArticleRevision {
  const person = (revision === null ? undefined : editors.of(revision)) ?? author;
  return {
    revision,
    current,
    isOfPerson: stored?.edited === true || (revision !== null && isOfPerson(revision)),
    date: date === '' ? null : date,
    author: person.name === '' ? undefined : person,
    subject,
    commit,
    keptIn,
  };
}

/**
 * Fields as they are stored.
 *
 * @param now the article as it is: an image that stays may be one that nobody could enter.
 * @throws PressmarkError BODY_INVALID, BODY_TOO_LARGE.
 */
function checked(fields: Partial<ArticleFields>, now?: Pick<Article, 'image'>): Partial<ArticleFields> {
  const { title, description, tags, author, body } = fields;
  const image = now !== undefined && fields.image === now.image ? undefined : fields.image;
  for (const [name, text] of Object.entries({ title, description, author, image, body }))
    if (text !== undefined && text !== null && (typeof text !== 'string' || !text.isWellFormed()))
      throw invalid(name, 'is not a text that can be stored');
  if (
    tags !== undefined &&
    !(Array.isArray(tags) && tags.every((tag) => typeof tag === 'string' && tag.isWellFormed()))
  )
    throw invalid('tags', 'are not a list of texts');
  if (title !== undefined && trimmedName(title) === '') throw invalid('title', 'is empty');
  if (body !== undefined && body.trim() === '') throw invalid('text', 'is empty');
  if (image && !(/^https?:/i.test(image) && URL.canParse(image)))
    throw invalid('image', `${quote(image)} is not an absolute URL such as https://example.com/a.jpg`);
  const given = {
    ...(title !== undefined && { title: trimmedName(title) }),
    ...(description !== undefined && { description: withLf(description).trim() }),
    ...(tags !== undefined && { tags: termNames(tags) }),
    ...(author !== undefined && { author: termName(author) }),
    ...(image !== undefined && { image: image === '' ? null : image }),
    ...(body !== undefined && { body: withLf(body) }),
  };
  if (Buffer.byteLength(JSON.stringify(given)) > MAX_BODY_BYTES)
    throw new PressmarkError(
      'BODY_TOO_LARGE',
      `the article is over ${MAX_BODY_BYTES} bytes, the most that is stored`,
    );
  return given;
}

function personOf({ name, email = '' }: Editor) {
  return { name, email };
}

function invalid(field: string, what: string): PressmarkError {
  return new PressmarkError('BODY_INVALID', `the ${field} ${what}`);
}
