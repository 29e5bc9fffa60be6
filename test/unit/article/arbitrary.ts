import type { Article } from '../../../src/article/article.js';
import { fc } from '../../support/property.js';

/** Pieces that break codecs: fences, line ends, indentation, YAML's own words and marks. */
const nasty = fc.constantFrom(
  ...'--- true 1e3 ~ << *a &a !!js %YAML ... é 文 😀 <p> </script>'.split(' '),
  ...'\r\n\t"\'\\\u2028\u2029\u0085\ufeff\u007f\u0000\u001b',
  ...['\n---\n', '\r\n', '\n\n', '  ', '   \n', ' # ', ': ', '- ', '| ', '{{ x }}'],
  ...['\nrevision: "x"\n', '\ndigest: "x"\n', '<!-- svc:item:a -->'],
);

/** Any text that the contract allows, with a leaning towards the hostile. */
export const text = fc.oneof(
  fc
    .array(fc.oneof(nasty, fc.string({ unit: 'grapheme', maxLength: 8 })), { maxLength: 12 })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 30 }).map((value) => value.toWellFormed()),
);

const nonempty = text.filter((value) => value !== '');

const key = fc.oneof(fc.constantFrom('draft', 'weight', 'x-y', '---', 'a b', '1', 'true'), nonempty);
const reserved =
  /^(?:title|description|date|updated|author|tags|keyword|image|slug|id|revision|url|digest|body_digest|json_ld|content_html)$/;

/** Front matter that is a person's or a plugin's. */
export const extra = fc.dictionary(
  key.filter((name) => !reserved.test(name) && name !== '__proto__'),
  fc.oneof(text, fc.boolean(), fc.integer(), fc.array(text, { maxLength: 3 }), fc.constant(null)),
  { maxKeys: 3, noNullPrototype: true },
);

/** Any article that can be stored. */
export const article: fc.Arbitrary<Article> = fc.record({
  id: nonempty,
  revision: nonempty,
  url: nonempty,
  slug: nonempty,
  title: text,
  description: text,
  date: text,
  updated: fc.option(text),
  author: text,
  tags: fc.array(text, { maxLength: 4 }),
  keyword: text,
  image: fc.option(text),
  jsonLd: text,
  contentHtml: text,
  body: text,
  extra,
});
