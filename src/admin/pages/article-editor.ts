import { randomBytes } from 'node:crypto';
import { escapeUTF8 } from 'entities';
import { PressmarkError } from '../../errors.js';
import type { ArticleFields, DraftFile, EditableArticle } from '../../host/articles/edits.js';
import {
  type AdminPage,
  type AdminRoom,
  correctable,
  type FormRequest,
  MISSING,
  type PageAnswer,
  redirect,
  view,
} from '../page.js';
import { PREVIEW_POLICY, type Preview } from '../previews.js';
import type { Words } from '../words.js';
import { about, articlePath, editorOf, idIn, shownArticle } from './article.js';

/** How often a frame checks for a preview that is being built, in seconds. */
const LOOK_EVERY = 2;

/** The policy of the admin's own text in the frame, without a sandbox, in which browsers ignore a refresh. */
const OWN_POLICY = "default-src 'none'; frame-ancestors 'self'";

const NOTHING: ArticleFields = { title: '', description: '', tags: [], author: '', image: null, body: '' };

/** The parts of an article that the form shows besides the fields. */
type FormArticle = Pick<EditableArticle, 'id' | 'title' | 'author' | 'tags' | 'bodyKind' | 'locked'>;

/** A preview above the form. */
type ShownPreview = { readonly key: string; readonly isThere: boolean };

/** The form for an article, with its preview, and the form for a new article. */
export function articleEditorPages({ host, previews }: AdminRoom): AdminPage[] {
  const { articles } = host;

  async function form(
    found: FormArticle | undefined,
    fields: ArticleFields,
    more: {
      /** The requested id. */
      readonly id?: string;
      /** The revision that the person has seen; empty for a new article. */
      readonly base?: string;
      /** The key of a new article, so that it is stored only once. */
      readonly key?: string;
      readonly slug?: string;
      readonly isHeld?: boolean;
      /** Whether something was entered. */
      readonly isChanged?: boolean;
      readonly preview?: ShownPreview;
      readonly conflict?: object;
    },
    answer: Parameters<typeof view>[2] = {},
  ): Promise<PageAnswer> {
    const article = found && shownArticle(found, more.id ?? found.id);
    const html = await htmlOf(fields);
    return view(
      'article-editor',
      { article, html, ...more, key: more.key || newKey() },
      { ...(article !== undefined && { title: article.title }), ...answer },
    );
  }

  /** The values of the form's fields. */
  async function htmlOf({ tags, image, ...fields }: ArticleFields): Promise<Record<string, string>> {
    const texts = Object.entries({ ...fields, tags: tags.join('\n'), image: image ?? '' });
    const escapedTexts = await articles.escaped(texts.map(([, text]) => text));
    return Object.fromEntries(texts.map(([name], n) => [name, escapedTexts[n] ?? '']));
  }

  /** The page of a draft on a site whose pages are not made here. */
  async function withoutTheme({ article: { title }, html }: DraftFile): Promise<string> {
    const [heading = ''] = await articles.escaped([title]);
    return `<!doctype html><meta charset="utf-8"><title>${heading}</title><h1>${heading}</h1>${html}`;
  }

  async function save(request: FormRequest): Promise<PageAnswer> {
    const id = idIn(request);
    const base = request.field('base');
    const fields = fieldsOf(request);
    try {
      const { revision } = await articles.edit(id, base, fields, editorOf(request));
      const text = revision === base ? 'articles.unchanged' : 'articles.saved';
      return redirect(articlePath(id), { level: 'ok', text });
    } catch (error) {
      const now = isConflict(error) ? await articles.open(id) : undefined;
      if (now === undefined) throw error;
      return conflict(now, base, fields);
    }
  }

  /** Shows the form again, with what the person has entered, after the article was removed. */
  function removed(fields: ArticleFields): Promise<PageAnswer> {
    const flash = { level: 'warn', text: 'articles.removedSince' } as const;
    return form(undefined, fields, { isChanged: true }, { status: 404, flash });
  }

  /** Shows the form with the entries. */
  async function again(
    request: FormRequest,
    more: { readonly preview?: ShownPreview } = {},
  ): Promise<PageAnswer> {
    const id = idIn(request);
    const fields = fieldsOf(request);
    const article = id === '' ? undefined : await openedIn(id, fields);
    if (id !== '' && article === undefined) return removed(fields);
    return form(article, fields, { id, ...enteredIn(request), ...more });
  }

  /** The parts of an article that the form shows besides the fields, even for an unreadable file. */
  async function openedIn(
    id: string,
    { title, author, tags }: ArticleFields,
  ): Promise<FormArticle | undefined> {
    try {
      return await articles.open(id);
    } catch {
      // The entries matter more than the error, which the action has shown or will show when the form is sent again.
      return { id, title, author, tags, bodyKind: 'markdown', locked: false };
    }
  }

  /** Shows both texts if the article has changed since. Nothing is overwritten before the person decides. */
  async function conflict(now: EditableArticle, base: string, fields: ArticleFields): Promise<PageAnswer> {
    const theirs = fieldsIn(now);
    const seen = await articles.at(now.id, base).catch((error: unknown) => {
      if (error instanceof PressmarkError) return undefined; // nobody has it any more
      throw error;
    });
    const conflict = {
      since: seen && (await articles.compare(seen, theirs)),
      mine: await articles.compare(theirs, fields),
    };
    return form(
      now,
      fields,
      { base: now.revision, isChanged: true, conflict },
      { status: 409, flash: { level: 'warn', text: 'articles.conflict' } },
    );
  }

  async function preview(request: FormRequest): Promise<PageAnswer> {
    const draft = await articles.draft(fieldsOf(request), idIn(request) || undefined);
    const preview = await previews.begin(draft, request.origin, await withoutTheme(draft));
    return again(request, { preview });
  }

  async function create(request: FormRequest): Promise<PageAnswer> {
    const fields = fieldsOf(request);
    const entered = enteredIn(request);
    const slug = entered.slug.trim();
    const state = entered.isHeld ? 'held' : 'live';
    // An invalid key counts as missing.
    const key = /^[0-9a-f]{16}$/.test(entered.key) ? entered.key : newKey();
    try {
      const made = { ...fields, key, ...(slug !== '' && { slug }), state } as const;
      const { id } = await articles.create(made, editorOf(request));
      return redirect(articlePath(id), { level: 'ok', text: 'articles.created' });
    } catch (error) {
      const stored = isConflict(error) ? await articles.open(`admin-${key}`) : undefined;
      if (stored !== undefined) return conflict(stored, '', fields);
      const isGone = error instanceof PressmarkError && error.code === 'USAGE';
      if (!isGone) throw error;
      return form(
        undefined,
        fields,
        { ...entered, key: newKey() },
        { status: 409, flash: correctable(error) },
      );
    }
  }

  return [
    {
      path: 'articles/edit',
      title: 'articles.edit',
      role: 'editor',
      show: async (request) => {
        const id = idIn(request);
        const article = await articles.open(id);
        return article === undefined
          ? MISSING
          : form(article, fieldsIn(article), { id, base: article.revision });
      },
      again: (request) => again(request),
      actions: { save: { about, run: save }, preview: { about, changes: false, run: preview } },
    },
    {
      path: 'articles/new',
      title: 'articles.write',
      role: 'editor',
      show: async ({ user }) => form(undefined, { ...NOTHING, author: user.name }, {}),
      again: (request) => again(request),
      actions: { create: { run: create }, preview: { changes: false, run: preview } },
    },
    {
      path: 'articles/preview',
      title: 'articles.preview',
      role: 'editor',
      show: async ({ query, words }) => frame(await previews.get(query.get('key') ?? ''), words),
    },
  ];
}

/** The content of a preview's frame. */
function frame(preview: Preview | undefined, { t, language }: Words): PageAnswer {
  const file = (body: string, policy = OWN_POLICY): PageAnswer => ({
    kind: 'file',
    type: 'text/html',
    body,
    policy,
  });
  const head = `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escapeUTF8(t('articles.preview'))}</title>`;
  switch (preview?.kind) {
    case 'page':
      return file(preview.html, PREVIEW_POLICY);
    case 'building':
      return file(
        `${head}<meta http-equiv="refresh" content="${LOOK_EVERY}"><p role="status">${escapeUTF8(t('articles.previewBuilding'))}</p>`,
      );
    case 'failed':
      return file(
        `${head}<p>${escapeUTF8(t('articles.previewFailed'))}</p><pre>${escapeUTF8(preview.reason)}</pre>`,
      );
    default:
      return MISSING;
  }
}

/** The entered fields. */
function fieldsOf({ field }: FormRequest): ArticleFields {
  const image = field('image').trim();
  return {
    title: field('title'),
    description: field('description'),
    tags: field('tags')
      .split('\n')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
    author: field('author'),
    image: image === '' ? null : image,
    body: field('body'),
  };
}

/** The hidden fields of the form. */
function enteredIn({ field }: FormRequest) {
  const [base, key, slug, isHeld] = [field('base'), field('key'), field('slug'), field('state') === 'held'];
  return { base, key, slug, isHeld, isChanged: true };
}

/** 16 hexadecimal digits. */
function newKey(): string {
  return randomBytes(8).toString('hex');
}

function fieldsIn({ title, description, tags, author, image, editable }: EditableArticle): ArticleFields {
  return { title, description, tags, author, image, body: editable };
}

function isConflict(error: unknown): boolean {
  return error instanceof PressmarkError && error.code === 'REVISION_CONFLICT';
}
