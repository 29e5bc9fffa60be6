import { createUsers, type Users } from '../admin/users.js';
import type { Settings } from '../config/load.js';
import { pluginFolder } from '../host/host.js';
import { openStorage } from '../host/storage.js';
import { foldersOf } from './content/folders.js';
import { originOf, runningReceivers } from './running-receivers.js';

// For the command, which knows the app alone.
export { type Account, type Invitation, ROLES, type Role } from '../admin/users.js';

/** The users of a site's admin, for a command; a receiver that runs sees each change at once. */
export function adminUsers(settings: Settings): Users {
  return createUsers(openStorage('admin', pluginFolder(foldersOf(settings).stateDir, 'admin')));
}

/** The host name at which the admin is served to others; undefined where it is not. */
export function adminHost({ admin }: Settings): string | undefined {
  return admin.public === false ? undefined : new URL(admin.public).hostname;
}

/** The address at which a user sets a password. */
export async function invitationLink(settings: Settings, token: string): Promise<string> {
  const path = `/-/admin/welcome?token=${token}`;
  if (settings.admin.public !== false) return `${new URL(settings.admin.public).origin}${path}`;
  const [receiver] = await runningReceivers(settings);
  return `${originOf(receiver ?? { host: settings.host, port: settings.port })}${path}`;
}
