/** What Eleventy's plugins do with the HTML of a page. */
export interface Transforms {
  /** Elements that are taken out of the page, or processed, unless they are marked. */
  readonly elements: readonly string[];
  /** Ids that the site's layouts use, where a page with one id twice stops the build; undefined where it does not. */
  readonly ids: readonly string[] | undefined;
}

// A comment, a script or style with its text, or any other opening tag. Each alternative ends at the first `<` or at the
// end of the text if it is not closed, so that no input is scanned twice.
const PIECE =
  /<!--[\s\S]*?(?:-->|$)|<(script|style)(?=[\s>/])([^<>]*)(>[\s\S]*?(?:<\/\1\s*>|$))|<([a-z][^\s<>/]*)((?:[^"'<>]|"[^"]*"|'[^']*')*)>/gi;

const ATTRIBUTE = /([^\s"'<>/=]+)(?:(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'<>]+))?/g;

const URLS = new Set(['href', 'src', 'cite', 'action', 'formaction', 'data', 'poster']);
const URL_LISTS = new Set(['srcset', 'ping']);

/**
 * An article's HTML without what makes Eleventy's own plugins stop the build: URLs that cannot be parsed or decoded
 * (HtmlBasePlugin, InputPathToUrlTransformPlugin, feeds) and repeated ids (IdAttributePlugin). Elements are marked so
 * that they stay where they are. All other bytes are as they were.
 */
export function harmlessHtml(html: string, { elements, ids }: Transforms): string {
  const used = ids && new Set(ids);
  const marked = new Set(elements.map((name) => name.toLowerCase()));
  const tag = (name: string, attributes: string) => {
    const kept = attributes.replace(ATTRIBUTE, (found, key: string, equals?: string, quoted = '') => {
      if (equals === undefined) return found;
      const quote = /^["']/.test(quoted) ? quoted.charAt(0) : '';
      const value = quote === '' ? quoted : quoted.slice(1, -1);
      if (key.toLowerCase() === 'id' && used !== undefined && value !== '') {
        if (used.has(value)) return '';
        used.add(value);
      }
      const harmless = harmlessValue(name.toLowerCase(), key.toLowerCase(), value);
      return harmless === value ? found : `${key}${equals}${quote}${harmless}${quote}`;
    });
    return `<${name}${marked.has(name.toLowerCase()) ? ' eleventy:ignore' : ''}${kept}`;
  };
  return html.replace(
    PIECE,
    (found, raw?: string, rawAttributes = '', rest = '', name?: string, attributes = '') => {
      if (raw !== undefined) return `${tag(raw, rawAttributes)}${rest}`;
      return name === undefined ? found : `${tag(name, attributes)}>`;
    },
  );
}

function harmlessValue(tag: string, key: string, value: string): string {
  if (URLS.has(key)) return harmlessUrl(value);
  if (URL_LISTS.has(key)) return value.split(/[\s,]+/).every((url) => harmlessUrl(url) === url) ? value : '';
  if (tag !== 'meta' || key !== 'content') return value;
  const url = /url\s*=\s*['"]?([^'"]*)/i.exec(value)?.[1];
  return url === undefined || harmlessUrl(url) === url ? value : '';
}

/** A URL that can be parsed, relative to any page, and whose percent signs can be decoded. */
function harmlessUrl(url: string): string {
  if (URL.canParse(url)) return url;
  const decodable =
    [url, url.replace(/%(?![0-9a-f]{2})/gi, '%25')].find(isDecodable) ?? url.replaceAll('%', '%25');
  return URL.canParse(decodable, 'https://site.invalid/folder/') ? decodable : 'about:invalid';
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}
