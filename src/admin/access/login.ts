import type { Context } from 'koa';
import { PressmarkError } from '../../errors.js';
import { sameSecret } from '../../host/http/accounts.js';
import type { AdminRoom, Flash } from '../page.js';
import type { Access } from './access.js';
import { createAttempts } from './attempts.js';
import { cookieOf, setCookie } from './cookies.js';
import { createSessions, SESSION_MS } from './sessions.js';
import type { User, VerifiedUser } from './users.js';

/** A browser that may use the admin. */
export interface Visitor {
  readonly context: Context;
  readonly access: Extract<Access, { kind: 'allowed' }>;
}

/** A user who is logged in, and the secret of the session. */
export interface Login {
  readonly user: User;
  readonly secret: string;
}

/** The result of checking a name and a password. */
export type Checked = { readonly kind: 'passed'; readonly user: VerifiedUser } | Refused;

interface Refused {
  readonly kind: 'refused';
  readonly status: number;
  readonly flash: Flash;
}

/** How long a browser stays known after a login, in seconds. */
const KNOWN_SECONDS = 365 * 86_400;
/** The limit of failed logins in the audit log, so that strangers cannot fill it. All of them are in the receiver's log. */
const NOTED_FAILURES = { atOnce: 20, everyMs: 180_000 };

/** See `createLogins`. */
export type Logins = ReturnType<typeof createLogins>;

/** Creates the logins: sessions, passwords and the limits of attempts. */
export function createLogins({
  host,
  users,
  audit,
  attempts,
}: Pick<AdminRoom, 'host' | 'users' | 'audit' | 'attempts'>) {
  const sessions = createSessions(host.storage, users);
  const notedFailures = createAttempts(NOTED_FAILURES);

  /** The login of a request; undefined if nobody is logged in. */
  async function of({ context, access }: Visitor): Promise<Login | undefined> {
    const secret = cookieOf(context, 'session', access.isSecure);
    const user = secret === undefined ? undefined : await sessions.userOf(secret);
    return secret === undefined || user === undefined ? undefined : { user, secret };
  }

  /** The reason why an unknown browser may not try now, whatever it sends; undefined if it may. */
  function refusalNow({ context, access }: Visitor): Refused | undefined {
    const known = cookieOf(context, 'known', access.isSecure);
    const early = known === undefined ? attempts.earlyBy([`network ${access.network}`]) : 0;
    return early > 0 ? tooEarly(context, early) : undefined;
  }

  function tooEarly(context: Context, ms: number): Refused {
    const seconds = Math.ceil(ms / 1_000);
    context.set('Retry-After', String(seconds));
    const flash = { level: 'fail', text: 'login.often', values: { count: seconds } } as const;
    return { kind: 'refused', status: 429, flash };
  }

  /** Checks a name and a password, within the limits. */
  async function check({ context, access }: Visitor, name: string, password: string): Promise<Checked> {
    const known = cookieOf(context, 'known', access.isSecure);
    const mark = await users.browserMark(name);
    const isKnown = sameSecret(known, mark);
    const subjects = isKnown
      ? [`browser ${mark}`]
      : [`network ${access.network}`, `name ${name.normalize('NFC').trim().toLowerCase().slice(0, 100)}`];
    const waitMs = attempts.take(subjects);
    if (waitMs > 0) return tooEarly(context, waitMs);
    let user: VerifiedUser | undefined;
    try {
      user = await users.withPassword(name, password, isKnown);
    } catch (error) {
      attempts.giveBack(subjects);
      if (!(error instanceof PressmarkError)) throw error;
      const flash = { level: 'fail', text: 'frame.reason', values: { reason: error.message } } as const;
      return { kind: 'refused', status: error.status, flash };
    }
    if (user === undefined) {
      host.log.warn({ from: access.network }, 'somebody could not log in to the admin');
      if (notedFailures.take(['all']) === 0)
        await audit.note({
          at: new Date().toISOString(),
          who: (await users.find(name))?.name ?? '', // an unknown name is not kept: somebody may have typed a password there
          from: access.network,
          what: 'login',
          refused: 'a wrong name or password',
        });
      return { kind: 'refused', status: 401, flash: { level: 'fail', text: 'login.wrong' } };
    }
    attempts.clear(subjects);
    return { kind: 'passed', user };
  }

  /**
   * Begins a session with a new secret, never with one that the browser has sent, and ends the previous session. The caller has
   * noted it in the audit log.
   */
  async function enter({ context, access }: Visitor, user: VerifiedUser): Promise<void> {
    const { isSecure } = access;
    const before = cookieOf(context, 'session', isSecure);
    const secret = await sessions.begin(user);
    if (before !== undefined) await sessions.end(before);
    setCookie(context, 'session', secret, { isSecure, seconds: SESSION_MS / 1_000 });
    const mark = await users.browserMark(user.name);
    setCookie(context, 'known', mark, { isSecure, seconds: KNOWN_SECONDS });
  }

  /** Notes in the audit log what a user is about to do. */
  function note({ access }: Visitor, { name }: User, what: string): Promise<void> {
    return audit.note({ at: new Date().toISOString(), who: name, from: access.network, what });
  }

  /** Ends a session. */
  async function end({ context, access }: Visitor, secret: string): Promise<void> {
    await sessions.end(secret);
    setCookie(context, 'session', '', { isSecure: access.isSecure, seconds: 0 });
  }

  return { of, refusalNow, check, note, enter, end };
}
