import { hideInLog, SHORTEST_HIDDEN } from '../../log.js';
import { invalid } from '../invalid.js';

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
export function withoutSpaces(text: string): string {
  return text.replace(/\s/g, '');
}
