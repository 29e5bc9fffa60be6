import { definePlugin, type Plugin } from '../host/plugin.js';
import type { AccessRules } from './access/access.js';
import { createUsers } from './access/users.js';
import type { Admin } from './admin.js';

/** The plugin that serves the admin below `/-/admin/`. It is active once there is a user, and loaded on the first request. */
export function adminPlugin(rules: AccessRules): Plugin {
  return definePlugin({
    name: 'admin',
    receiver(host) {
      const users = createUsers(host.storage);
      let admin: Promise<Admin> | undefined;
      const forget = (error: unknown) => {
        admin = undefined; // the next request tries again
        throw error;
      };
      host.serve(async (context, next) => {
        if (!(await users.isAny())) return next();
        admin ??= import('./admin.js').then(({ createAdmin }) => createAdmin(host, users, rules));
        await (await admin.catch(forget)).handle(context);
      });
    },
  });
}
