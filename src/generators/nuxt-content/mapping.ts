import type { ArticleMapping, IncomingBody, StoredBody } from '../../article/format/mapping.js';
import { htmlTokens } from '../../article/text/html-tokens.js';
import { withReplacements } from '../../article/text/replacements.js';
import type { MappingOptions } from '../generator.js';
import { escapedMarkdown, withoutCode } from '../mapping/escape-markdown.js';
import { htmlBlock } from '../mapping/html-block.js';
import {
  hasTags,
  isDecodable,
  isOtherSite,
  linkedAddresses,
  needsHtml,
  withoutItemComments,
} from '../mapping/markdown.js';
import { siteMapping, slugBy, withoutSlash } from '../mapping/site-mapping.js';
import { isDraft } from '../markdown-folder/mapping.js';

/** The key that overrides the address from the file's name. */
const ADDRESS_KEY = 'path';

/** The mapping for `nuxt-content`. */
export function mapping(options: MappingOptions): ArticleMapping {
  return siteMapping(options, {
    isDraft,
    isArticlePath: (path) => path.endsWith('.md'),
    // Keys that Nuxt Content reads; `mdc` names the components of a text.
    reserved: [
      ADDRESS_KEY,
      'stem',
      'body',
      'navigation',
      'seo',
      'mdc',
      'toc',
      'excerpt',
      'meta',
      'extension',
    ],
    // Without the number by which files are ordered.
    slug: slugBy(/^\d+\. *(?=.)/, ADDRESS_KEY),
    body: storedBody,
    // Percent-encoded and without a slash at the end, as the site's pages look an article up.
    pinKey: { key: ADDRESS_KEY, write: withoutSlash, read: (text) => text, ignoresSlash: true },
  });
}

// Nuxt Content parses Markdown as MDC, with components: braces are bindings and attributes, `:name` is a Vue component, and
// words in brackets are a span. Plain Markdown is stored with these escaped, everything else as a property that Vue prints
// unchanged.

/** The beginning of a binding, attributes, a component or a span, which loses its brackets. A link keeps its own. */
const SYNTAX = /\\[\s\S]|[{}]|:(?=[a-z])|\[(?!(?:[^[\]\\]|\\.)*\]\()/gi;

/** A name that becomes an emoji, even in an escaped text. */
const EMOJI = /:[+-]?\w[+\w-]*:/;

/** An address without link syntax, to which an escape would be added. */
const BARE_ESCAPED = /(?:https?:\/\/|www\.)[^\s<>()]*\\/i;

/** Lines of an indented code block that MDC parses nevertheless. */
const READ_IN_CODE = /^\s*[:`]/m;

/** The body, without anything that runs. */
export function storedBody(incoming: IncomingBody): StoredBody {
  const markdown = incoming.kind === 'markdown' ? plainMarkdown(incoming.markdown) : undefined;
  return { text: markdown ?? htmlElement(incoming.html), frontMatter: {} };
}

/** Escaped Markdown without item comments, which Nuxt drops; undefined if it cannot be stored as Markdown. */
function plainMarkdown(source: string): string | undefined {
  const markdown = withoutItemComments(source);
  const prose = withoutCode(markdown);
  if (needsHtml(prose) || hasTags(prose) || EMOJI.test(prose)) return undefined;
  // A link to a missing page stops the build.
  const isHarmless = (address: string) => isOtherSite(address) && isDecodable(address);
  if (!linkedAddresses(prose).every(isHarmless)) return undefined;
  let isPlain = true;
  const text = escapedMarkdown(markdown, {
    prose(text) {
      const escaped = text.replace(SYNTAX, (found) => (found.startsWith('\\') ? found : `\\${found}`));
      isPlain &&= !BARE_ESCAPED.test(escaped);
      return escaped;
    },
    codeBlock(code) {
      const [fence, before = '', language = ''] =
        /^(.*?(?:`{3,}|~{3,}))[ \t]*([\w+#.-]*)[^\n]*/.exec(code) ?? [];
      isPlain &&= fence !== undefined || !READ_IN_CODE.test(code);
      // The file name and the line numbers would be displayed.
      return fence === undefined ? code : before + language + code.slice(fence.length);
    },
  });
  return isPlain ? text : undefined;
}

/** HTML as a property of an element: one YAML text, with a line for each line. */
function htmlElement(html: string): string {
  const lines = htmlBlock(withoutCrawledLinks(html))
    .split('\n')
    .map((line) => `  ${yamlText(line)}\\n\\\n`);
  return `::div\n---\ninnerHTML: "\\\n${lines.join('')}  "\n---\n::\n`;
}

/** Hides links from Nuxt's crawler, which fetches every linked page and stops the build at a missing one. It ignores `HREF`. */
function withoutCrawledLinks(html: string): string {
  const links = [...htmlTokens(html)].flatMap((token) =>
    token.kind === 'open' ? token.attributes.filter(({ name }) => name === 'href') : [],
  );
  return withReplacements(
    html,
    links.map(({ start }) => ({ start, end: start + 'href'.length, text: 'HREF' })),
  );
}

/** A line in a YAML text. YAML drops white space at its beginning, and MDC would parse some characters there. */
function yamlText(line: string): string {
  const text = JSON.stringify(line)
    .slice(1, -1)
    .replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escaped);
  return text.replace(/^[^\w<\\\u0080-\uffff]/, escaped);
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
