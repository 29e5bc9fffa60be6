import { hash } from 'node:crypto';

/** Articles may contain pictures, videos and frames from any site, and style attributes; scripts come only from the theme. */
const DIRECTIVES = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'img-src * data:',
  'media-src *',
  'font-src * data:',
  "frame-src 'self' https:",
  "object-src 'none'",
  "base-uri 'self'",
  "frame-ancestors 'self'",
];

/** A script in a template; `data-` attributes may contain `%>`. */
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)((?:<%[\s\S]*?%>|[^>])*)>([\s\S]*?)<\/script>/g;

/**
 * Makes the Content-Security-Policy of a site with these templates: it allows scripts from the site and scripts in templates.
 * JSON-LD is data, which a policy does not affect. `wasm-unsafe-eval` is for the search.
 *
 * @param layers the texts of themes. Scripts with template code are not allowed, as they differ from page to page.
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
