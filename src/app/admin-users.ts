import { userInfo } from 'node:os';
import { createUsers, type Users } from '../admin/access/users.js';
import { openAudit } from '../admin/audit.js';
import type { Settings } from '../config/load.js';
import { messageOf } from '../errors.js';
import { pluginFolder } from '../host/host.js';
import { ADMIN_PATH } from '../host/http/routes.js';
import { openStorage, type PluginStorage } from '../host/storage.js';
import { foldersOf } from './content/folders.js';
import { originOf, runningReceivers } from './running-receivers.js';

// For the command, which may only import from app.
export { type Account, type Invitation, ROLES, type Role } from '../admin/access/users.js';

/** The users of a site's admin, for a command. A running receiver sees each change at once. */
export function adminUsers(settings: Settings): Users {
  return createUsers(storageOf(settings));
}

/**
 * Changes the users for a command. The audit log gets an entry before the change, and another one with the reason if the change
 * is refused.
 *
 * @param what such as `add`.
 * @throws what `change` throws.
 */
export async function audited<T>(
  settings: Settings,
  what: string,
  about: string,
  change: (users: Users) => Promise<T>,
): Promise<T> {
  const audit = openAudit(storageOf(settings));
  const note = (refused?: string) =>
    audit.note({
      at: new Date().toISOString(),
      who: accountHere(),
      from: 'terminal',
      what: `users:${what}`,
      about,
      ...(refused !== undefined && { refused }),
    });
  await note();
  try {
    return await change(adminUsers(settings));
  } catch (error) {
    await note(messageOf(error));
    throw error;
  }
}

function storageOf(settings: Settings): PluginStorage {
  return openStorage('admin', pluginFolder(foldersOf(settings).stateDir, 'admin'));
}

/** The account that runs the command; empty if the system has no name for it, as in some containers. */
function accountHere(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}

/** The public origin of the admin, such as `https://admin.example.com`; undefined if it has none. */
export function adminOrigin({ admin }: Settings): string | undefined {
  return admin.public === false ? undefined : new URL(admin.public).origin;
}

/** The address at which a user sets a password. */
export async function invitationLink(settings: Settings, token: string): Promise<string> {
  const [receiver = { host: settings.host, port: settings.port }] = await runningReceivers(settings);
  return `${adminOrigin(settings) ?? originOf(receiver)}${ADMIN_PATH}welcome?token=${token}`;
}
