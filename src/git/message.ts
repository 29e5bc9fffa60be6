/** How long a subject may be, in characters; what is longer is of no use in a list of commits. */
const MAX_SUBJECT = 200;
/** How long the text may be that a filter adds below the subject, in characters. */
const MAX_BODY = 10_000;

/** `Publish: <title>` or `Update: <title>`, whatever the title holds. */
export function subjectOf(kind: 'Publish' | 'Update', title: string): string {
  return oneLine(`${kind}: ${oneLine(title) || 'Untitled'}`);
}

/**
 * A whole commit message: the text (its first line is the subject, cut and cleaned) and the trailers as a
 * paragraph of their own at the end, where nothing in the text can take their place.
 */
export function commitMessage(
  text: string,
  fallback: string,
  trailers: { articleId: string; revision: string },
): string {
  const [first = '', ...rest] = text
    .toWellFormed()
    .trimStart()
    .split(/\r\n|[\n\r]/);
  const subject = oneLine(first) || fallback;
  const body = rest
    .join('\n')
    .slice(0, MAX_BODY)
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .trim();
  const paragraphs = [
    subject,
    ...(body === '' ? [] : [body]),
    `Article-Id: ${trailerValue(trailers.articleId)}\nRevision-Id: ${trailerValue(trailers.revision)}`,
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

/** The subject of a whole message. */
export function subjectIn(message: string): string {
  return message.slice(0, message.indexOf('\n'));
}

/** White space and control characters become one space each time; at most `MAX_SUBJECT` characters. */
function oneLine(text: string): string {
  // cut first: a title may have a million characters
  const line = text
    .slice(0, 8 * MAX_SUBJECT)
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= MAX_SUBJECT ? line : `${characters.slice(0, MAX_SUBJECT - 1).join('')}…`;
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
