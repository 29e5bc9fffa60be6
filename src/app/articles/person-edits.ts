import { randomBytes } from 'node:crypto';
import { type Article, type ArticleDraft, draftOf } from '../../article/article.js';
import type { Amended } from '../../article/format/amend.js';
import { isOfPerson, isPersonsId, revisionFor } from '../../article/own-revisions.js';
import { stateAt } from '../../article/publication.js';
import type { StoredArticle } from '../../article/stored-article.js';
import type { Settings } from '../../config/load.js';
import { PressmarkError, quote } from '../../errors.js';
import type { Editors } from '../../git/commit/editors.js';
import type {
  ArticleEdits,
  ArticleFields,
  ArticleRevision,
  EditableArticle,
} from '../../host/articles/edits.js';
import type { Editor } from '../../host/articles/trash.js';
import { type ReadFile, readArticle } from '../../store/catalog/content-folder.js';
import type { Found } from '../../store/reading.js';
import type { Surroundings } from '../../webhook/events/handler.js';
import { publishDraft } from '../../webhook/events/published.js';
import type { PersonsTexts } from '../content/article-codec.js';
import { checkBase, createChange, invalid, isHtml, withContent } from './change-article.js';
import {
  type ArticleHistory,
  historyOfFile,
  type Revision,
  versionInCommit,
} from './history/article-history.js';
import { pick, reversion, versionIn } from './history/revert.js';
import { type HostArticlesOptions, listedArticle, type SetStateAs, stateChange } from './host-articles.js';
import type { ReadForm } from './person-form.js';

export interface PersonEditsOptions extends Omit<HostArticlesOptions, 'receive' | 'catalog'> {
  readonly settings: Settings;
  readonly around: Surroundings;
  readonly editors: Editors;
  readonly setStateAs: SetStateAs;
  readonly texts: PersonsTexts;
}

/** Among so many of the newest commits of its file a version is looked for, while somebody waits. */
const MOST_SEARCHED = 1_000;

/** What people do with articles in an admin. Who does it is noted first: the commit has them for its author. */
export function createPersonEdits(options: PersonEditsOptions): ArticleEdits {
  const { settings, store, content, prefix, around, editors, setStateAs, texts } = options;
  const changed = createChange(options);

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
      editable: await texts.editable(found),
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
      const form = await texts.form(fields, read.stored);
      if (await isStoredBy(by, read, path, form)) return { ...read.stored, text: read.text };
      checkBase(article, base);
      if (form.isUnchanged) return { ...read.stored, text: read.text };
      const { body, author } = form.fields;
      const locked = body === undefined ? undefined : await lockedText(read, path);
      if (locked !== undefined) throw invalid('text', locked);
      const updated = new Date().toISOString();
      const next = await withContent(content, read, path, { ...form.fields, updated, revision });
      if (author !== undefined && next.article.author !== author)
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
    { inSiteSpelling: { fields, isUnchanged } }: Pick<ReadForm, 'inSiteSpelling'>,
  ): Promise<boolean> {
    const { article, edited } = read.stored;
    const { revision, updated } = article;
    if (edited || editors.of(revision)?.name !== by.name) return false;
    if (fields.body === undefined) return isUnchanged;
    const next = { ...fields, revision, ...(updated !== null && { updated }) };
    return (await withContent(content, read, path, next)).text === read.text;
  }

  const create: ArticleEdits['create'] = async (fields, by) => {
    const { fields: given } = await texts.form(fields, undefined);
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
      // Where no article is, and in a folder of articles: generators choose the template by it.
      const slug = `preview-${randomBytes(8).toString('hex')}`;
      const { layout, codec } = content;
      const made = newDraft(slug, (await texts.form(fields, undefined)).fields, slug);
      const extension = await codec.extension(made);
      const path = layout.path(slug, made.date).replace(/\.\w+$/, extension);
      const url = layout.url(slug, made.date);
      return shown(path, await codec.encode({ ...made, updated: null, url }, path));
    }
    const found = await mustGet(id);
    const { path } = found;
    const read = await readArticle(content, path);
    const form = await texts.form(fields, read.stored);
    const { revision } = read.stored.article;
    return shown(path, await withContent(content, read, path, { ...form.fields, revision }));
  };

  /** A draft is shown as if it were live: one that is held or scheduled has no page. */
  async function shown(path: string, made: Amended) {
    const now = Date.now();
    const transition = stateChange('live', undefined, made, now, '');
    const isLive = stateAt(made.publication, now) === 'live';
    const { text, article } = isLive
      ? made
      : await content.codec.inState(made.text, path, transition, made.article.revision);
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
    const stored = await versionOf(await mustGet(id), revision);
    return { ...stored.article, body: await texts.editable(stored) };
  }

  /** @param revision or the name of a commit, which is found without the history, as long as the file has kept its name. */
  async function versionOf(found: Found, revision: string): Promise<StoredArticle> {
    const { id } = found.article;
    if (found.article.revision === revision) return found;
    const isCommit = /^[0-9a-f]{40,64}$/.test(revision);
    const stored = isCommit && (await versionInCommit(settings, content, { id, path: found.path }, revision));
    return stored || versionIn(await historyOf(found, MOST_SEARCHED), revision).stored;
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

  const { compare, escaped, formFields } = texts;
  return { open, edit, create, draft, setStateBy, history, at, compare, escaped, formFields, revert };
}

/** A new article. @param slug @default made of the title. */
function newDraft(id: string, fields: Partial<ArticleFields>, slug: string | undefined): ArticleDraft {
  const { title = '', description = '', tags = [], author = '', image = null, body = '' } = fields;
  if (title === '') throw invalid('title', 'is empty');
  if (body === '') throw invalid('text', 'is empty');
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

function personOf({ name, email = '' }: Editor) {
  return { name, email };
}
