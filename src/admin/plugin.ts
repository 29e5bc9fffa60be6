import { definePlugin, type Plugin } from '../host/plugin.js';
import type { AccessRules } from './access/access.js';
import { createUsers } from './access/users.js';
import type { Admin } from './admin.js';

/** The admin below `/-/admin/`. It is there as soon as there is a user, and loaded when somebody asks for it. */
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
