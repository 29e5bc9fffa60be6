import { randomBytes } from 'node:crypto';
import { PressmarkError } from '../../errors.js';
import type { ArticleFields, EditableArticle } from '../../host/article-edits.js';
import {
  type AdminPage,
  type AdminRoom,
  type FormRequest,
  MISSING,
  type PageAnswer,
  redirect,
  view,
} from '../page.js';
import { escaped } from '../views.js';
import { about, articlePath, differenceOf, editorOf, idIn } from './article.js';

/** Previews that are kept for the frames that show them; each is a page of a theme. */
const MOST_PREVIEWS = 20;

/** No script of an article or a theme runs in a preview, and nothing of the admin can be reached from it. */
const PREVIEW_POLICY =
  "default-src 'none'; img-src 'self' data: https: http:; media-src 'self' https: http:; style-src 'self' 'unsafe-inline' https: http:; font-src 'self' data: https: http:; frame-ancestors 'self'; base-uri 'self'; form-action 'none'; sandbox";

const NOTHING: ArticleFields = { title: '', description: '', tags: [], author: '', image: null, body: '' };

/** The form for an article, with its preview, and the one for a new article. */
export function articleEditorPages({ host }: AdminRoom): AdminPage[] {
  const { articles } = host;
  const previews = new Map<string, string>();

  function form(
    article: EditableArticle | undefined,
    fields: ArticleFields,
    more: {
      readonly base: string;
      readonly slug?: string;
      readonly preview?: string;
      readonly conflict?: object;
    },
    answer: Parameters<typeof view>[2] = {},
  ): PageAnswer {
    const title = article === undefined ? {} : { title: article.title };
    return view('article-editor', { article, fields, ...more }, { ...title, ...answer });
  }

  /** Makes a preview, and remembers it for its frame. */
  async function keptPreview(fields: ArticleFields, id: string | undefined): Promise<string> {
    const { path, text, article, html: alone } = await articles.draft(fields, id);
    const page = await host.use('preview')(path, text);
    const address = escaped(new URL(article.url).pathname);
    const html =
      page?.replace(/<head[^>]*>/i, (head) => `${head}<base href="${address}">`) ??
      plain(article.title, alone);
    const key = randomBytes(16).toString('hex');
    previews.set(key, html);
    for (const old of previews.keys()) if (previews.size > MOST_PREVIEWS) previews.delete(old);
    return key;
  }

  async function save(request: FormRequest): Promise<PageAnswer> {
    const id = idIn(request);
    const base = request.field('base');
    const fields = fieldsOf(request);
    try {
      await articles.edit(id, base, fields, editorOf(request));
    } catch (error) {
      const now = await articles.open(id);
      if (now === undefined) return MISSING;
      return isConflict(error) ? conflict(now, base, fields) : form(now, fields, { base }, refusal(error));
    }
    return redirect(articlePath(id), { level: 'ok', text: 'articles.saved' });
  }

  /** The article has changed since: both texts are shown, and nothing is overwritten before the person says so. */
  async function conflict(now: EditableArticle, base: string, fields: ArticleFields): Promise<PageAnswer> {
    const theirs = fieldsIn(now);
    const seen = await articles.at(now.id, base).catch((error: unknown) => {
      if (error instanceof PressmarkError) return undefined; // nobody has it any more
      throw error;
    });
    const conflict = {
      since: seen && differenceOf(seen, theirs),
      mine: differenceOf(theirs, fields),
    };
    return form(
      now,
      fields,
      { base: now.revision, conflict },
      { status: 409, flash: { level: 'warn', text: 'articles.conflict' } },
    );
  }

  async function preview(request: FormRequest): Promise<PageAnswer> {
    const id = idIn(request);
    const fields = fieldsOf(request);
    const article = id === '' ? undefined : await articles.open(id);
    if (id !== '' && article === undefined) return MISSING;
    const more = { base: request.field('base'), slug: request.field('slug') };
    try {
      return form(article, fields, { ...more, preview: await keptPreview(fields, article?.id) });
    } catch (error) {
      return form(article, fields, more, refusal(error));
    }
  }

  async function create(request: FormRequest): Promise<PageAnswer> {
    const fields = fieldsOf(request);
    const slug = request.field('slug').trim();
    const state = request.field('state') === 'held' ? 'held' : 'live';
    try {
      const made = { ...fields, ...(slug !== '' && { slug }), state } as const;
      const { id } = await articles.create(made, editorOf(request));
      return redirect(articlePath(id), { level: 'ok', text: 'articles.created' });
    } catch (error) {
      return form(undefined, fields, { base: '', slug }, refusal(error));
    }
  }

  return [
    {
      path: 'articles/edit',
      title: 'articles.edit',
      role: 'editor',
      show: async (request) => {
        const article = await articles.open(idIn(request));
        return article === undefined ? MISSING : form(article, fieldsIn(article), { base: article.revision });
      },
      actions: { save: { about, run: save }, preview: { about, changes: false, run: preview } },
    },
    {
      path: 'articles/new',
      title: 'articles.write',
      role: 'editor',
      show: async ({ user }) => form(undefined, { ...NOTHING, author: user.name }, { base: '' }),
      actions: { create: { run: create }, preview: { changes: false, run: preview } },
    },
    {
      path: 'articles/preview',
      title: 'articles.preview',
      role: 'editor',
      show: async ({ query }) => {
        const html = previews.get(query.get('key') ?? '');
        return html === undefined
          ? MISSING
          : { kind: 'file', type: 'text/html', body: html, policy: PREVIEW_POLICY };
      },
    },
  ];
}

/** A page without a theme, where another generator makes the pages. */
function plain(title: string, html: string): string {
  return `<!doctype html><meta charset="utf-8"><title>${escaped(title)}</title><h1>${escaped(title)}</h1>${html}`;
}

/** What was entered. */
function fieldsOf({ field }: FormRequest): ArticleFields {
  const image = field('image').trim();
  return {
    title: field('title'),
    description: field('description'),
    tags: field('tags')
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
    author: field('author'),
    image: image === '' ? null : image,
    body: field('body'),
  };
}

function fieldsIn({ title, description, tags, author, image, editable }: EditableArticle): ArticleFields {
  return { title, description, tags, author, image, body: editable };
}

function isConflict(error: unknown): boolean {
  return error instanceof PressmarkError && error.code === 'REVISION_CONFLICT';
}

/** Shows the form again with what was entered, and why it was not stored. */
function refusal(error: unknown): Parameters<typeof view>[2] {
  if (!(error instanceof PressmarkError)) throw error;
  const status = error.code === 'BODY_INVALID' ? 422 : error.status;
  return { status, flash: { level: 'fail', text: 'articles.refused', values: { reason: error.message } } };
}
