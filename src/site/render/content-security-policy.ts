import { hash } from 'node:crypto';

/** What articles hold from elsewhere (pictures, films, frames) and style attributes are theirs; scripts are the theme's. */
const DIRECTIVES = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'img-src * data:',
  'media-src *',
  'font-src * data:',
  'frame-src https:',
  "object-src 'none'",
  "base-uri 'self'",
  "frame-ancestors 'self'",
];

/** A script in a template; `data-` attributes may hold `%>`. */
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)((?:<%[\s\S]*?%>|[^>])*)>([\s\S]*?)<\/script>/g;

/**
 * The Content-Security-Policy of a site with these templates: scripts come from the site or stand in a template. JSON-LD is
 * data, which no policy keeps from robots. `wasm-unsafe-eval` is for the search.
 *
 * @param layers the texts of themes. A script with template code in it is not allowed, as each page has another one.
 */
export function contentSecurityPolicy(layers: readonly ReadonlyMap<string, string>[]): string {
  const hashes = new Set<string>();
  for (const template of layers.flatMap((layer) => [...layer.values()]))
    for (const [, attributes = '', script = ''] of template.matchAll(INLINE_SCRIPT))
      if (!/ld\+json/.test(attributes) && !script.includes('<%'))
        hashes.add(`'sha256-${hash('sha256', script.replaceAll('\r\n', '\n'), 'base64')}'`);
  const scripts = ["'self'", "'wasm-unsafe-eval'", ...[...hashes].sort()].join(' ');
  return [`script-src ${scripts}`, ...DIRECTIVES].join('; ');
}
