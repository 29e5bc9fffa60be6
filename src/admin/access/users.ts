import { createHash, createHmac, randomBytes } from 'node:crypto';
import { PressmarkError, quote } from '../../errors.js';
import type { PluginStorage } from '../../host/storage.js';
import { hashPassword, isPassword, PASSWORD_COST, type PasswordHash } from './passwords.js';

/** `editor`: articles and deliveries; `admin`: everything. */
export type Role = 'editor' | 'admin';

export const ROLES: readonly Role[] = ['editor', 'admin'];

/** A person who may log in. */
export interface User {
  readonly name: string;
  readonly role: Role;
  /** The author's address for commits of the user's edits. */
  readonly email?: string;
  /** The language of the admin. @default the browser's */
  readonly language?: string;
}

/** A user whose password, link or session was checked. */
export interface VerifiedUser extends User {
  /** Changes with each password. What was checked counts only as long as it is the same. */
  readonly passwordId: string;
}

/** A user as lists show it. */
export interface Account extends User {
  /** When the user was added, ISO 8601. */
  readonly since: string;
  /** Whether the user has set a password. */
  readonly hasPassword: boolean;
  /** Until when a link to set a password works, ISO 8601; undefined if there is none. */
  readonly linkUntil?: string;
}

/** A stored user. */
interface Kept extends VerifiedUser {
  readonly since: string;
  readonly password?: PasswordHash;
  /** The digest of the invitation's token. */
  readonly link?: { readonly digest: string; readonly until: string };
}

/** A link that sets a password, once. */
export interface Invitation {
  readonly user: User;
  readonly token: string;
  /** ISO 8601. */
  readonly until: string;
}

/** The users of the admin, which all receivers on the site's folder share; see `createUsers`. */
export type Users = ReturnType<typeof createUsers>;

const KEY = 'users';
const NO_PASSWORD = randomBytes(32);
const LINK_MS = 24 * 3_600_000;

/** A name or an address: letters, digits, and the usual separators between them. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@+'-]{0,62}[\p{L}\p{M}\p{N}]$|^[\p{L}\p{N}]$/u;
const EMAIL = /^[^\s<>@"\x00-\x1f]{1,64}@[^\s<>@"\x00-\x1f]{1,190}$/;

/** Creates the users, kept in one value of the storage. @param cost the cost of the hashes of new passwords. */
export function createUsers(
  storage: PluginStorage,
  { now = Date.now, cost = PASSWORD_COST }: { readonly now?: () => number; readonly cost?: number } = {},
) {
  const all = async () => (await storage.get<readonly Kept[]>(KEY)) ?? [];
  const byName = (users: readonly Kept[], name: string) => users.find((user) => isSame(user.name, name));
  const byToken = (users: readonly Kept[], token: string) =>
    users.find(({ link }) => link?.digest === digestOf(token) && Date.parse(link.until) > now());

  /** Replaces one user; `undefined` removes the user. */
  const change = (find: (users: readonly Kept[]) => Kept | undefined, to: (user: Kept) => Kept | undefined) =>
    storage.update<readonly Kept[]>(KEY, (users = []) => {
      const found = find(users);
      return users.flatMap((user) => (user === found ? (to(user) ?? []) : user));
    });

  async function isAny(): Promise<boolean> {
    return (await all()).length > 0;
  }

  async function list(): Promise<Account[]> {
    return (await all()).map(accountOf).toSorted((a, b) => a.name.localeCompare(b.name));
  }

  async function find(name: string): Promise<VerifiedUser | undefined> {
    const user = byName(await all(), name);
    return user && verifiedOf(user);
  }

  /**
   * Adds a user, or makes another link for an existing user, whose password works until the link is used.
   *
   * @param role undefined leaves the role as it is; a new user is an editor.
   * @throws PressmarkError USAGE if the name or the address is invalid.
   */
  async function invite(
    name: string,
    { role, email }: { readonly role?: Role | undefined; readonly email?: string | undefined } = {},
  ): Promise<Invitation> {
    const plain = name.normalize('NFC').trim();
    if (!NAME.test(plain))
      throw usage(
        `${quote(name)} cannot be a user’s name; use 1 to 64 letters, digits, spaces and . _ @ + ' -`,
      );
    if (email !== undefined && !EMAIL.test(email)) throw usage(`${quote(email)} is not an email address`);
    const token = randomBytes(32).toString('base64url');
    const until = new Date(now() + LINK_MS).toISOString();
    const link = { digest: digestOf(token), until };
    const users = await storage.update<readonly Kept[]>(KEY, (before = []) => {
      const known = byName(before, plain);
      const fresh: Kept = {
        name: plain,
        role: 'editor',
        since: new Date(now()).toISOString(),
        passwordId: newId(),
      };
      const user: Kept = {
        ...(known ?? fresh),
        ...(role !== undefined && { role }),
        ...(email !== undefined && { email }),
        link,
      };
      return known === undefined ? [...before, user] : before.map((one) => (one === known ? user : one));
    });
    const user = byName(users ?? [], plain);
    if (user === undefined) throw new Error('the user that was just kept is not there');
    return { user: userOf(user), token, until };
  }

  /** The user of a link; undefined if it was used, has expired, or never existed. */
  async function invited(token: string): Promise<User | undefined> {
    const user = byToken(await all(), token);
    return user && userOf(user);
  }

  /** Sets a password with a link, and ends the link. @returns undefined if the link no longer works. */
  async function accept(token: string, password: string): Promise<VerifiedUser | undefined> {
    if ((await invited(token)) === undefined) return undefined;
    return withNewPassword((users) => byToken(users, token), password);
  }

  /**
   * Changes a password, which ends all sessions of the user.
   *
   * @returns undefined if the password has changed, or the user was removed, since the user was checked.
   */
  function setPassword(
    { name, passwordId }: VerifiedUser,
    password: string,
  ): Promise<VerifiedUser | undefined> {
    return withNewPassword((users) => {
      const user = byName(users, name);
      return user?.passwordId === passwordId ? user : undefined;
    }, password);
  }

  async function withNewPassword(
    find: Parameters<typeof change>[0],
    password: string,
  ): Promise<VerifiedUser | undefined> {
    const hash = await hashPassword(password, cost);
    let changed: VerifiedUser | undefined;
    await change(find, ({ link: _, ...user }) => {
      const next = { ...user, password: hash, passwordId: newId() };
      changed = verifiedOf(next);
      return next;
    });
    return changed;
  }

  /**
   * The user with this name and password. An unknown name takes as long to check as a known one.
   *
   * @param isKnown whether the user has logged in before in the browser that asks.
   */
  async function withPassword(
    name: string,
    password: string,
    isKnown: boolean,
  ): Promise<VerifiedUser | undefined> {
    const user = byName(await all(), name);
    return (await isPassword(password, user?.password, isKnown)) ? user && verifiedOf(user) : undefined;
  }

  async function setLanguage(name: string, language: string): Promise<void> {
    await change(
      (users) => byName(users, name),
      (user) => ({ ...user, language }),
    );
  }

  /** Removes a user, even the last admin, and ends the sessions. @returns whether the user existed. */
  async function remove(name: string): Promise<boolean> {
    let isThere = false;
    await change(
      (users) => byName(users, name),
      () => {
        isThere = true;
        return undefined;
      },
    );
    return isThere;
  }

  /** Changes a user's role, or removes the user (undefined), unless no admin with a password would be left. */
  async function setRole(name: string, role: Role | undefined): Promise<'done' | 'last admin' | 'missing'> {
    let result: 'done' | 'last admin' | 'missing' = 'done';
    await storage.update<readonly Kept[]>(KEY, (users = []) => {
      const found = byName(users, name);
      const isAdmin = (user: Kept) => user.role === 'admin' && user.password !== undefined;
      const isLast =
        found?.role === 'admin' && role !== 'admin' && !users.some((user) => user !== found && isAdmin(user));
      result = found === undefined ? 'missing' : isLast ? 'last admin' : 'done';
      return result === 'done'
        ? users.flatMap((user) => (user !== found ? user : role === undefined ? [] : { ...user, role }))
        : users;
    });
    return result;
  }

  /**
   * The mark of a browser in which a user has logged in; it changes with the password. For an unknown name, it matches no
   * browser.
   */
  async function browserMark(name: string): Promise<string> {
    return markOf(byName(await all(), name));
  }

  return {
    isAny,
    list,
    find,
    invite,
    invited,
    accept,
    setPassword,
    withPassword,
    setLanguage,
    remove,
    setRole,
    browserMark,
  };
}

function markOf(user: Kept | undefined): string {
  return createHmac('sha256', user?.password?.hash ?? NO_PASSWORD)
    .update('a browser of this user')
    .digest('base64url');
}

function userOf({ name, role, email, language }: Kept): User {
  return { name, role, ...(email !== undefined && { email }), ...(language !== undefined && { language }) };
}

function verifiedOf(user: Kept): VerifiedUser {
  return { ...userOf(user), passwordId: user.passwordId };
}

function accountOf(user: Kept): Account {
  const { since, password, link } = user;
  return {
    ...userOf(user),
    since,
    hasPassword: password !== undefined,
    ...(link !== undefined && { linkUntil: link.until }),
  };
}

function isSame(one: string, other: string): boolean {
  const [plain, given] = [one, other].map((name) => name.normalize('NFC').trim().toLowerCase());
  return plain === given;
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

const newId = () => randomBytes(9).toString('base64url');

const usage = (text: string) => new PressmarkError('USAGE', text);
