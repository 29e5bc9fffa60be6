import { isIP } from 'node:net';
import { canonicalUrl } from '../contract/canonical-url.js';

// Rules for addresses, paths and names that the other modules rely on.

/**
 * Whether a text can be the site's URL. The URLs of articles begin with it unchanged, so a URL parser must not repair it or drop
 * a part of it; otherwise lookups would not find them.
 */
export function isSiteUrl(text: string): boolean {
  const canonical = canonicalUrl(text);
  if (canonical === undefined || /[?#]/.test(text)) return false;
  const { href, hostname, pathname } = new URL(text);
  return canonicalUrl(href) === canonical && !hostname.endsWith('.') && isDecodable(pathname);
}

/** Whether git accepts a text as a branch; see git check-ref-format. */
export function isBranch(name: string): boolean {
  if (/^-|\.\.|\.$|@\{|^@$|[\x00-\x20\x7f~^:?*[\\]/.test(name)) return false;
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}

/** Whether a path can be the webhook's. `/healthz` and everything below `/-/` are taken. */
export function isEndpoint(path: string): boolean {
  if (!/^\/[^?#]*[^/?#]$/.test(path) || /^\/(?:healthz$|-\/)/.test(path)) return false;
  return URL.canParse(path, 'http://a') && new URL(path, 'http://a').href === `http://a${path}`;
}

/** Whether a file of the built site can have this path. */
export function isPagePath(path: string): boolean {
  const [, ...names] = path.replace(/\/$/, '').split('/');
  return isDecodable(path) && names.every((name) => name !== '' && !name.startsWith('.'));
}

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false; // a URIError: malformed
  }
}

/** Whether a text is an https URL without a path. */
export function isHttpsOrigin(text: string): boolean {
  return /^https:/i.test(text) && isSiteUrl(text) && new URL(text).pathname === '/';
}

/** Whether a text is an IP address, or a network in CIDR notation such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [, address = '', prefix = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(prefix) <= (version === 4 ? 32 : 128);
}

/** Whether the store finds a file at this path: it skips hidden files and folders, and node_modules. */
export function isScannedPath(path: string): boolean {
  return path.split(/[\\/]/).every((name) => !name.startsWith('.') && name !== 'node_modules');
}
