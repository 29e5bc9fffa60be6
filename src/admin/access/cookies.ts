import type { Context } from 'koa';
import { ADMIN_PATH } from '../../host/http/routes.js';

/** The cookies of the admin: the session, the mark of a known browser, and a message for the next page. */
export type CookieName = 'session' | 'known' | 'flash';

/**
 * The full name of a cookie. Over HTTPS, the prefix `__Host-` makes the browser accept it only from this host and over HTTPS.
 * On this machine, without HTTPS, the prefix is not possible.
 */
function nameOf(name: CookieName, isSecure: boolean): string {
  return `${isSecure ? '__Host-' : ''}pressmark-${name}`;
}

/** The value of a cookie; undefined if it is not set. */
export function cookieOf(context: Context, name: CookieName, isSecure: boolean): string | undefined {
  return context.cookies.get(nameOf(name, isSecure)) || undefined;
}

/** Sets a cookie that scripts cannot read, and that is not sent from other sites' pages. @param seconds 0 removes it. */
export function setCookie(
  context: Context,
  name: CookieName,
  value: string,
  { isSecure, seconds }: { readonly isSecure: boolean; readonly seconds: number },
): void {
  const path = isSecure ? '/; Secure' : ADMIN_PATH;
  context.append(
    'Set-Cookie',
    `${nameOf(name, isSecure)}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict`,
  );
}
