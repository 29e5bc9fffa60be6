import { randomBytes } from 'node:crypto';
import { type Article, type ArticleDraft, draftOf } from '../../../article/article.js';
import type { EncodedFile } from '../../../article/format/encode.js';
import { isPersonsId, revisionFor } from '../../../article/own-revisions.js';
import { stateAt } from '../../../article/publication.js';
import { isHtml } from '../../../article/stored-article.js';
import { PressmarkError, quote } from '../../../errors.js';
import type { ArticleEdits, ArticleFields, EditableArticle } from '../../../host/articles/edits.js';
import type { Editor } from '../../../host/articles/trash.js';
import { type ContentFolder, type ReadFile, readArticle } from '../../../store/catalog/content-folder.js';
import { publishDraft } from '../../../webhook/events/published.js';
import { changeArticle, checkBase, invalid, withContent } from '../change-article.js';
import { listedArticle, type SetStateAs, stateChange } from '../host-articles.js';
import { createVersions, mustGet, noteEditor, type VersionsOptions } from './versions.js';

export interface PersonEditsOptions extends VersionsOptions {
  /** The content folder relative to the site's folder, with a trailing slash. */
  readonly prefix: string;
  readonly setStateAs: SetStateAs;
}

/**
 * The actions of people on articles in an admin. The person is noted before the change is stored, and becomes the author of its
 * commit.
 */
export function createPersonEdits(options: PersonEditsOptions): ArticleEdits {
  const { store, content, prefix, context, editors, setStateAs, texts } = options;

  async function open(id: string): Promise<EditableArticle | undefined> {
    const found = await store.get(id);
    if (found === undefined) return undefined;
    const { publication, address, digest, edited } = found;
    const locked =
      found.bodyEdited &&
      (await hasTemplateCode(content, await readArticle(content, found.path), found.path));
    const until = publication.kind === 'dated' ? publication.until : undefined;
    return {
      ...listedArticle(`${prefix}${found.path}`, found),
      editable: await texts.editable(found),
      bodyKind: isHtml(found) ? 'html' : 'markdown',
      edited: edited && digest !== undefined,
      locked,
      ...(address?.kind === 'unknown' && { uncertain: address.reason }),
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
    return changeArticle(options, id, async (read, path) => {
      const entered = await texts.form(fields, read.stored);
      const { body, author } = entered;
      const change = { updated: new Date().toISOString(), revision };
      const next = await withContent(content, read, path, { ...entered, ...change });
      if (author !== undefined && next.article.author !== author)
        throw new PressmarkError(
          'BODY_INVALID',
          'the author of this post cannot be changed here; edit its file',
        );
      // Also if the form is sent again because the answer was lost.
      const isThere = next.text === (await withContent(content, read, path, change)).text;
      if (isThere) return { ...read.stored, text: read.text };
      checkBase(read.stored.article, base);
      if (body !== undefined && (await hasTemplateCode(content, read, path)))
        throw invalid(
          'text',
          'contains template code, which runs only if it is written into the file itself; edit the file',
        );
      await noteEditor(editors, revision, by);
      return { ...next, seals: true };
    });
  }

  const create: ArticleEdits['create'] = async (fields, by) => {
    const given = await texts.form(fields, undefined);
    const { key = randomBytes(8).toString('hex') } = fields;
    const id = `admin-${key}`;
    if (!isPersonsId(id)) throw invalid('key', `${quote(key)} is not 16 hexadecimal digits`);
    const draft = newDraft(id, given, fields.slug);
    const held = fields.state === 'held' ? { held: `by ${by.name}` } : {};
    const before = await store.get(id);
    const revision = before === undefined ? revisionFor('admin') : before.article.revision;
    if (before === undefined) await noteEditor(editors, revision, by);
    const made = () => ({ ...draft, revision, ...held });
    const { url, outcome, afterAnswer } = await publishDraft(id, made, draft.date, context);
    void afterAnswer?.();
    if (outcome === 'deleted')
      throw new PressmarkError('USAGE', 'the article was removed after it was stored');
    // The form was sent again, perhaps with another text.
    if (outcome === 'known') await edit(id, '', given, by);
    return { id, url };
  };

  const draft: ArticleEdits['draft'] = async (fields, id) => {
    if (id === undefined) {
      // An unused name in the folder of articles, as generators choose the template by the folder.
      const slug = `preview-${randomBytes(8).toString('hex')}`;
      const { layout, codec } = content;
      const made = newDraft(slug, await texts.form(fields, undefined), slug);
      const extension = await codec.extension(made);
      const path = layout.path(slug, made.date).replace(/\.\w+$/, extension);
      const url = layout.url(slug, made.date);
      return shown(options, path, await codec.encode({ ...made, updated: null, url }, path));
    }
    const found = await mustGet(store, id);
    const { path } = found;
    const read = await readArticle(content, path);
    const { revision } = read.stored.article;
    const entered = await texts.form(fields, read.stored);
    return shown(options, path, await withContent(content, read, path, { ...entered, revision }));
  };

  const setStateBy: ArticleEdits['setStateBy'] = async (id, base, state, at, by) =>
    setStateAs(id, state, at, { who: by.name, base, note: (revision) => noteEditor(editors, revision, by) });

  const compare: ArticleEdits['compare'] = (...versions) =>
    texts.compared(...versions).catch((error: unknown) => {
      if (!(error instanceof PressmarkError)) throw error;
      return texts.apart(...versions);
    });

  const { escaped, formFields } = texts;
  return { open, edit, create, draft, setStateBy, ...createVersions(options), compare, escaped, formFields };
}

/** Whether a text contains a person's template code, which would no longer run after an edit in the admin. */
async function hasTemplateCode(
  content: ContentFolder,
  read: Pick<ReadFile, 'text' | 'stored'>,
  path: string,
): Promise<boolean> {
  const { body } = read.stored.article;
  if (!read.stored.bodyEdited) return false;
  const same = await withContent(content, read, path, { body, revision: 'edit' });
  return !same.article.body.startsWith(body.trimEnd());
}

/** The draft, marked as live for the preview: a held or scheduled article has no page. */
async function shown(
  { content, store, prefix }: Pick<PersonEditsOptions, 'content' | 'store' | 'prefix'>,
  path: string,
  made: EncodedFile,
) {
  const now = Date.now();
  const transition = stateChange('live', undefined, made, now, '');
  const isLive = stateAt(made.publication, now) === 'live';
  const { text, article } = isLive
    ? made
    : await content.codec.inState(made.text, path, transition, made.article.revision);
  const stored = await content.codec.decode(text, path);
  return { path: `${prefix}${path}`, text, article, html: await store.htmlOf(stored) };
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
