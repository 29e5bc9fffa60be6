import { ROLES, type Role } from '../access/users.js';
import {
  type AdminPage,
  type AdminRoom,
  correctable,
  type Flash,
  type PageAnswer,
  redirect,
  view,
} from '../page.js';
import { link } from '../views.js';

/** How many records of the audit log are shown. */
const MOST_RECORDS = 100;

/** The page of users, and of the audit log. */
export function userPages({ users, audit }: AdminRoom): AdminPage[] {
  const list = async (more: object = {}, flash?: Flash, status = 200): Promise<PageAnswer> =>
    view(
      'users',
      { accounts: await users.list(), roles: ROLES, now: Date.now(), ...more },
      { status, ...(flash !== undefined && { flash }) },
    );
  const roleOf = (text: string): Role => ROLES.find((role) => role === text) ?? 'editor';
  const lastAdmin = () => list({}, { level: 'fail', text: 'users.lastAdmin' }, 409);
  return [
    {
      path: 'users',
      title: 'users.title',
      role: 'admin',
      menu: 80,
      show: () => list(),
      actions: {
        add: {
          about: ({ field }) => `${field('name')} ${field('role')}`,
          run: async ({ field, origin }) => {
            const name = field('name').trim();
            if ((await users.find(name)) !== undefined)
              return list({ entered: name }, { level: 'fail', text: 'users.known', values: { name } }, 409);
            return invite(origin, name, roleOf(field('role')), field('email').trim() || undefined);
          },
        },
        link: {
          about: ({ field }) => field('name'),
          run: async ({ field, origin }) => {
            const user = await users.find(field('name'));
            return user === undefined ? list() : invite(origin, user.name);
          },
        },
        role: {
          about: ({ field }) => `${field('name')} ${field('role')}`,
          run: async ({ field }) => {
            const [name, role] = [field('name'), roleOf(field('role'))];
            const result = await users.setRole(name, role);
            if (result === 'last admin') return lastAdmin();
            if (result === 'missing') return list();
            return redirect('users', { level: 'ok', text: 'users.changed', values: { name } });
          },
        },
        remove: {
          about: ({ field }) => field('name'),
          run: async ({ field }) => {
            const name = field('name');
            if ((await users.setRole(name, undefined)) === 'last admin') return lastAdmin();
            return redirect('users', { level: 'ok', text: 'users.removed', values: { name } });
          },
        },
      },
    },
    {
      path: 'users/log',
      title: 'users.log',
      role: 'admin',
      show: async () => view('audit', { records: await audit.last(MOST_RECORDS) }),
    },
  ];

  async function invite(origin: string, name: string, role?: Role, email?: string): Promise<PageAnswer> {
    try {
      const { user, token, until } = await users.invite(name, { role, email });
      return await list({
        invited: { name: user.name, until, link: `${origin}${link('welcome', { token })}` },
      });
    } catch (error) {
      return list({ entered: name }, correctable(error), 422);
    }
  }
}
