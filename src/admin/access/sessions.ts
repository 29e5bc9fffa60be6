import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { PluginStorage } from '../../host/storage.js';
import type { Users, VerifiedUser } from './users.js';

/** A stored session. */
interface Session {
  readonly user: string;
  /** The user's `passwordId` at the beginning of the session. */
  readonly passwordId: string;
}

/** How long a session lasts. */
export const SESSION_MS = 14 * 86_400_000;

/**
 * Creates sessions. Only the browser has the secret of a session; the disk has its digest. All receivers on the site's folder
 * share them. A session ends after 14 days, with the user, and with a change of the password.
 */
export function createSessions(storage: PluginStorage, users: Users) {
  /** Begins a session. @returns its new secret. */
  async function begin({ name, passwordId }: VerifiedUser): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    const session: Session = { user: name, passwordId };
    await storage.set(keyOf(secret), session, { ttlMs: SESSION_MS });
    return secret;
  }

  /** The user of a session; undefined if it has ended or never existed. */
  async function userOf(secret: string): Promise<VerifiedUser | undefined> {
    const session = await storage.get<Session>(keyOf(secret));
    if (session === undefined) return undefined;
    const user = await users.find(session.user);
    return user?.passwordId === session.passwordId ? user : undefined;
  }

  async function end(secret: string): Promise<void> {
    await storage.delete(keyOf(secret));
  }

  return { begin, userOf, end };
}

function keyOf(secret: string): string {
  return `session-${createHash('sha256').update(secret).digest('hex')}`;
}

/** The hidden token of a session's forms, which a page of another site does not know. */
export function formTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('form').digest('base64url');
}
