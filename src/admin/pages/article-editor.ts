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

/** How often a frame looks for a preview that is being built, in seconds. */
const LOOK_EVERY = 2;

/** Of what the admin itself says in the frame; browsers follow no refresh in a sandbox. */
const OWN_POLICY = "default-src 'none'; frame-ancestors 'self'";

const NOTHING: ArticleFields = { title: '', description: '', tags: [], author: '', image: null, body: '' };

/** What the form shows of an article besides the fields. */
type FormArticle = Pick<EditableArticle, 'id' | 'title' | 'author' | 'tags' | 'bodyKind' | 'locked'>;

/** A preview above the form. */
type ShownPreview = { readonly key: string; readonly isThere: boolean };

/** The form for an article, with its preview, and the one for a new article. */
export function articleEditorPages({ host, previews }: AdminRoom): AdminPage[] {
  const { articles } = host;

  async function form(
    found: FormArticle | undefined,
    fields: ArticleFields,
    more: {
      /** By which the article was asked for. */
      readonly id?: string;
      /** The revision that the person has seen; empty for a new article. */
      readonly base?: string;
      /** Of a new article, so that it is stored once. */
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

  /** The fields as they stand in the form. */
  async function htmlOf({ tags, image, ...fields }: ArticleFields): Promise<Record<string, string>> {
    const texts = Object.entries({ ...fields, tags: tags.join('\n'), image: image ?? '' });
    const escapedTexts = await articles.escaped(texts.map(([, text]) => text));
    return Object.fromEntries(texts.map(([name], n) => [name, escapedTexts[n] ?? '']));
  }

  /** The page of a draft where nothing makes pages. */
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

  /** The form again, with what was entered, if the article was removed while somebody edited it. */
  function removed(fields: ArticleFields): Promise<PageAnswer> {
    const flash = { level: 'warn', text: 'articles.removedSince' } as const;
    return form(undefined, fields, { isChanged: true }, { status: 404, flash });
  }

  /** The form with what was entered. */
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

  /** What a form shows of its article, besides the fields: also of a file that cannot be read. */
  async function openedIn(
    id: string,
    { title, author, tags }: ArticleFields,
  ): Promise<FormArticle | undefined> {
    try {
      return await articles.open(id);
    } catch {
      // What was typed is worth more than why: the action has said it, or says it when the form is sent again.
      return { id, title, author, tags, bodyKind: 'markdown' };
    }
  }

  /** The article has changed since: both texts are shown, and nothing is overwritten before the person says so. */
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
    // A key in another form counts as missing.
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

/** What the frame of a preview shows. */
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

/** What was entered. */
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

/** What else stands in the form. */
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
