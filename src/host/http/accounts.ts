import { hideInLog, SHORTEST_HIDDEN } from '../../log.js';
import { invalid } from '../invalid.js';

/** By what the requests to an adapter are known to be genuine. */
export interface AdapterAuth {
  /** The scheme of HTTP: a name and a password, or a token, which may come in the field `access_token` of a form, too. */
  readonly kind: 'basic' | 'bearer';
  /**
   * The name of the plugin's secret that lists who may come, separated by commas: `name:password` for `basic`, where spaces do
   * not count, as application passwords are shown with some; for `bearer` a token, and behind it its scopes, separated by spaces.
   */
  readonly secret: string;
}

/** Who has sent a request. */
export interface Caller {
  /** Empty for `bearer`. */
  readonly name: string;
  /** Those of the token; none if nothing limits it. */
  readonly scopes: readonly string[];
  /** Refuses the request, 401 with the code `insufficient_scope`, if its token is limited, and has none of these scopes. */
  need(...scopes: readonly string[]): void;
}

/** Somebody who may come, and what proves it: `name:password` without spaces, or the token. */
export interface Account extends Omit<Caller, 'need'> {
  readonly proof: string;
}

/**
 * The accounts that a secret lists. No line of the log shows a password or a token of it from then on.
 *
 * @throws PressmarkError PLUGIN_INVALID if it is not such a list, or one of them is too short to be hidden.
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

/** What is compared of `name:password`. */
export function withoutSpaces(text: string): string {
  return text.replace(/\s/g, '');
}
