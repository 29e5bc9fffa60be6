import type { Article } from '../../../article/article.js';
import type { ArticleFormat } from '../../../article/format/format.js';
import { termName, termNames, trimmedName } from '../../../article/names.js';
import { isHtml, type StoredArticle } from '../../../article/stored-article.js';
import { MAX_BODY_BYTES } from '../../../contract/limits.js';
import { PressmarkError, quote } from '../../../errors.js';
import type { ArticleEdits, ArticleFields } from '../../../host/articles/edits.js';
import { formIn } from '../../../host/http/form.js';
import { invalid } from '../change-article.js';

/** The text that a person edits: the Markdown or the HTML, as it came. */
export function editableText(stored: StoredArticle, { sentBody }: Pick<ArticleFormat, 'sentBody'>): string {
  const { body, contentHtml } = stored.article;
  if (stored.bodyEdited) return body;
  return isHtml(stored) ? contentHtml : sentBody(body);
}

/**
 * The fields that a person has entered, ready to be stored. A text that equals the article's is left out; blanks at its ends
 * are ignored.
 *
 * @param now the present article and its editable text; undefined for a new one.
 * @throws PressmarkError BODY_INVALID, BODY_TOO_LARGE.
 */
export function readEntered(
  entered: Partial<ArticleFields>,
  now?: { readonly article: Article; readonly editable: string },
): Partial<ArticleFields> {
  const { body, ...others } = checked(entered, now?.article);
  const isSame = body?.trim() === now?.editable.replaceAll('\r\n', '\n').trim();
  return { ...others, ...(body !== undefined && !isSame && { body }) };
}

/** @param now the present article: an unchanged title or image need not be one that could be entered. */
function checked(
  fields: Partial<ArticleFields>,
  now?: Pick<Article, 'title' | 'image'>,
): Partial<ArticleFields> {
  const { description, tags, author, body } = fields;
  const title = fields.title === oneLine(now?.title) ? undefined : fields.title;
  const image = fields.image === oneLine(now?.image) ? undefined : fields.image;
  for (const [name, text] of Object.entries({ title, description, author, image, body }))
    if (text !== undefined && text !== null && (typeof text !== 'string' || !text.isWellFormed()))
      throw invalid(name, 'must be well-formed text (Unicode)');
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
    ...(description !== undefined && { description: description.replaceAll('\r\n', '\n').trim() }),
    ...(tags !== undefined && { tags: termNames(tags) }),
    ...(author !== undefined && { author: termName(author) }),
    ...(image !== undefined && { image: image === '' ? null : image }),
    ...(body !== undefined && { body: body.replaceAll('\r\n', '\n') }),
  };
  if (Buffer.byteLength(JSON.stringify(given)) > MAX_BODY_BYTES)
    throw new PressmarkError(
      'BODY_TOO_LARGE',
      `the article is over ${MAX_BODY_BYTES} bytes, the most that is stored`,
    );
  return given;
}

/** A text as a field of one line shows it, and as a browser sends it: without its line breaks. */
function oneLine(text: string | null | undefined): string | undefined {
  return text?.replace(/[\r\n]/g, '');
}

/** See `ArticleEdits.formFields`. */
export const formFields: ArticleEdits['formFields'] = async (type, { buffer, byteOffset, length }) => {
  const body = Buffer.from(buffer, byteOffset, length);
  const fields = await formIn({ headers: { 'content-type': type }, body }).catch((cause: unknown) => {
    throw new PressmarkError('BODY_INVALID', 'the form cannot be read', { cause });
  });
  if (fields === undefined) throw new PressmarkError('BODY_INVALID', 'the body is not a form');
  const isText = (value: string | File) => typeof value === 'string';
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): [string, string | readonly string[]][] => {
      if (value instanceof File) return [];
      return [[name, typeof value === 'string' ? value : value.filter(isText)]];
    }),
  );
};
