import type { Context } from 'koa';
import { ADMIN_PATH } from '../../host/http/routes.js';

/** The cookies of the admin: the session, a browser in which somebody has logged in, and a message for the next page. */
export type CookieName = 'session' | 'known' | 'flash';

/**
 * Over HTTPS the name itself has the browser see to it that only this host has set the cookie, and only over HTTPS
 * (`__Host-`). Without HTTPS, on this machine, there are no such cookies.
 */
function nameOf(name: CookieName, isSecure: boolean): string {
  return `${isSecure ? '__Host-' : ''}pressmark-${name}`;
}

/** The value of a cookie; undefined if the browser has none. */
export function cookieOf(context: Context, name: CookieName, isSecure: boolean): string | undefined {
  return context.cookies.get(nameOf(name, isSecure)) || undefined;
}

/** Sets a cookie that no script reads and that no other site's pages send. @param seconds 0 removes it. */
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
