import { join } from 'node:path';
import { createSessions, formTokenOf } from '../../src/admin/access/sessions.js';
import { createUsers, type Role, type Users } from '../../src/admin/access/users.js';
import type { AdminPage, AdminRoom } from '../../src/admin/page.js';
import { pagesOf } from '../../src/admin/pages.js';
import { pluginFolder } from '../../src/host/host.js';
import { openStorage } from '../../src/host/storage.js';

/** A page as a browser gets it. */
export interface AdminAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A person who is logged in to the admin of a receiver. */
export interface AdminClient {
  /** The session's cookie, as `Cookie` has it. */
  readonly cookie: string;
  /** What forms have in their hidden field. */
  readonly token: string;
  readonly users: Users;
  /** @param path below `/-/admin/`. */
  get(path: string, headers?: Record<string, string>): Promise<AdminAnswer>;
  /** Sends a form as the page's own would be; redirects are not followed. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<AdminAnswer>;
}

/** The users of a plain site's admin. Their passwords are quick to check, which takes a quarter of a second else. */
export function usersOf(dir: string): Users {
  return createUsers(storageOf(dir), { cost: 2 });
}

/** Adds a user with a password. */
export async function addUser(dir: string, name: string, password: string, role?: Role): Promise<void> {
  const users = usersOf(dir);
  const { token } = await users.invite(name, { role });
  await users.accept(token, password);
}

const storageOf = (dir: string) => openStorage('admin', pluginFolder(join(dir, '.pressmark'), 'admin'));

/** Adds a user and logs in, without a password. */
export async function adminOf(
  { dir, origin }: { readonly dir: string; readonly origin: string },
  { name = 'ada', role = 'admin' }: { readonly name?: string; readonly role?: Role } = {},
): Promise<AdminClient> {
  const storage = storageOf(dir);
  const users = createUsers(storage);
  await users.invite(name, { role });
  const user = await users.find(name);
  if (user === undefined) throw new Error('the user that was just added is not there');
  const secret = await createSessions(storage, users).begin(user);
  const cookie = `pressmark-session=${secret}`;
  const token = formTokenOf(secret);
  return {
    cookie,
    token,
    users,
    get: (path, headers) => ask(origin, path, { headers: { Cookie: cookie, ...headers } }),
    post: (path, fields, headers) =>
      sendForm(origin, path, { token, ...fields }, { Cookie: cookie, ...headers }),
  };
}

/** Sends a form to a page of the admin. */
export function sendForm(
  origin: string,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<AdminAnswer> {
  return ask(origin, path, { method: 'POST', body: new URLSearchParams(fields), headers });
}

/** Asks for a page of the admin as anybody, at the host where every site has it; redirects are not followed. */
export async function ask(origin: string, path: string, request: RequestInit = {}): Promise<AdminAnswer> {
  const site = origin.replace('//127.0.0.1', '//localhost');
  const answer = await fetch(`${site}/-/admin/${path}`, { redirect: 'manual', ...request });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Whatever is asked of it is itself, and a list of nothing: pages say what they are before anything runs. */
const nothing: unknown = new Proxy(() => undefined, {
  get: (_, key) =>
    key === Symbol.iterator
      ? [][Symbol.iterator]
      : key === 'length'
        ? 0
        : key === 'then'
          ? undefined
          : nothing,
  apply: () => nothing,
});

/** All pages that the admin has, for what holds for each. They cannot be shown. */
export function registeredPages(): AdminPage[] {
  return pagesOf(nothing as AdminRoom);
}
