import { PressmarkError } from '../../errors.js';
import { type Account, type AdapterAuth, type Caller, withoutSpaces } from '../../host/http/accounts.js';
import type { AdapterRequest } from '../../host/http/adapter.js';
import { refusal } from '../../host/http/adapter-answer.js';
import { sameSecret } from '../../host/http/same-secret.js';

/**
 * Authenticates a request by HTTP Basic or Bearer (RFC 7617, RFC 6750).
 *
 * @throws PressmarkError SIGNATURE_MISMATCH if no account matches; BODY_INVALID if there are two tokens.
 */
export function callerOf(
  request: Pick<AdapterRequest, 'headers' | 'body'>,
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

function basicOf({ headers: { authorization } }: Pick<AdapterRequest, 'headers'>): string | undefined {
  const [, given] = /^basic +(.*)$/i.exec(authorization ?? '') ?? [];
  return given && withoutSpaces(Buffer.from(given, 'base64').toString());
}

function tokenOf({ headers, body }: Pick<AdapterRequest, 'headers' | 'body'>): string | undefined {
  const { authorization, 'content-type': type = '' } = headers;
  // The form is not parsed before it is verified, as it may be long.
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type);
  const [field] = (isForm && /(?<![^&])access_token=[^&]*/.exec(body.toString('latin1'))) || [];
  const inBody = new URLSearchParams(field).get('access_token') ?? undefined;
  if (inBody !== undefined && authorization !== undefined)
    throw new PressmarkError('BODY_INVALID', 'there is a token in the header and another one in the body');
  return inBody ?? /^bearer +(.*)$/i.exec(authorization ?? '')?.[1];
}
