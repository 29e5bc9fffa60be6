import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { PressmarkError } from '../../errors.js';
import { hideInLog, SHORTEST_HIDDEN } from '../../log.js';
import { invalid } from '../invalid.js';
import { refusal } from './adapter-answer.js';

/** How requests to an adapter are authenticated. */
export interface AdapterAuth {
  /** The HTTP scheme: a name and a password, or a token. A token may also come in the form field `access_token`. */
  readonly kind: 'basic' | 'bearer';
  /**
   * The name of the plugin's secret that lists the accounts, separated by commas. For `basic`, each is `name:password`; spaces
   * are ignored, as application passwords are shown with spaces. For `bearer`, each is a token, followed by its scopes,
   * separated by spaces.
   */
  readonly secret: string;
}

/** The sender of a request. */
export interface Caller {
  /** Empty for `bearer`. */
  readonly name: string;
  /** The scopes of the token; empty if it is not limited. */
  readonly scopes: readonly string[];
  /** Refuses the request with 401 and the code `insufficient_scope` if its token is limited and has none of these scopes. */
  need(...scopes: readonly string[]): void;
}

/** An account and its credential: `name:password` without spaces, or the token. */
export interface Account extends Omit<Caller, 'need'> {
  readonly proof: string;
}

/**
 * The accounts that a secret lists. From then on, the log hides their passwords and tokens.
 *
 * @throws PressmarkError PLUGIN_INVALID if it is not such a list, or a password or token is too short to be hidden.
 */
export function accountsIn(list: string, { kind, secret }: AdapterAuth, plugin: string): readonly Account[] {
  const isBasic = kind === 'basic';
  return list.split(',').map((part) => {
    const [, name = '', password = ''] = /^\s*([^:\s][^:]*):(.*\S)\s*$/.exec(part) ?? [];
    const [token = '', ...scopes] = part.trim().split(/\s+/);
    if ((isBasic ? withoutSpaces(password) : token).length < SHORTEST_HIDDEN)
      throw invalid(
        `plugin ${plugin} needs ${isBasic ? 'name:password' : 'a token'} in ${secret}, or several with commas between them; one is missing, or shorter than ${SHORTEST_HIDDEN} characters`,
      );
    for (const shown of isBasic ? [password.trim(), withoutSpaces(password)] : [token]) hideInLog(shown);
    return isBasic
      ? { proof: withoutSpaces(`${name}:${password}`), name: name.trim(), scopes: [] }
      : { proof: token, name: '', scopes };
  });
}

/** The part of `name:password` that is compared. */
function withoutSpaces(text: string): string {
  return text.replace(/\s/g, '');
}

/** The parts of a request that may prove who has sent it. */
interface Proven {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Authenticates a request by HTTP Basic or Bearer (RFC 7617, RFC 6750).
 *
 * @throws PressmarkError SIGNATURE_MISMATCH if no account matches; BODY_INVALID if there are two tokens.
 */
export function callerOf(
  request: Proven,
  { kind, accounts }: { readonly kind: AdapterAuth['kind']; readonly accounts: readonly Account[] },
): Caller {
  const given = kind === 'basic' ? basicOf(request) : tokenOf(request);
  // All accounts are compared, so that the time does not reveal the position.
  const [account] = accounts.filter(({ proof }) => sameSecret(given, proof));
  if (account !== undefined)
    return { name: account.name, scopes: account.scopes, need: needing(account.scopes) };
  throw new PressmarkError('SIGNATURE_MISMATCH', 'this request could not be verified');
}

function needing(scopes: Caller['scopes']): Caller['need'] {
  return (...any) => {
    if (scopes.length > 0 && !any.some((scope) => scopes.includes(scope)))
      throw refusal(401, 'insufficient_scope', `the token has no scope ${any.join(' or ')}`);
  };
}

function basicOf({ headers: { authorization } }: Proven): string | undefined {
  const [, given] = /^basic +(.*)$/i.exec(authorization ?? '') ?? [];
  return given && withoutSpaces(Buffer.from(given, 'base64').toString());
}

function tokenOf({ headers, body }: Proven): string | undefined {
  const { authorization, 'content-type': type = '' } = headers;
  // The form is not parsed before it is verified, as it may be long.
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type);
  const [field] = (isForm && /(?<![^&])access_token=[^&]*/.exec(body.toString('latin1'))) || [];
  const inBody = new URLSearchParams(field).get('access_token') ?? undefined;
  if (inBody !== undefined && authorization !== undefined)
    throw new PressmarkError('BODY_INVALID', 'there is a token in the header and another one in the body');
  return inBody ?? /^bearer +(.*)$/i.exec(authorization ?? '')?.[1];
}

/** Compares two texts in constant time. A missing text equals no other. */
export function sameSecret(given: string | undefined, expected: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(given ?? ''), digest(expected)) && given !== undefined;
}
