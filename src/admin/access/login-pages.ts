import type { AdminRoom, Flash } from '../page.js';
import { isAllowed, leadTo, queryOf, type Responder, requestOf, type Visit } from '../responder.js';
import { link } from '../views.js';
import { type Form, fieldOf, readForm } from './forms.js';
import type { Login, Logins } from './login.js';
import { isPossiblePassword, SHORTEST_PASSWORD } from './passwords.js';
import type { User } from './users.js';

/** Creates the pages for login, logout, invitations and forms of earlier sessions. */
export function createLoginPages(
  { users }: Pick<AdminRoom, 'users'>,
  logins: Logins,
  { byPath, show, giveAgain, refuse }: Responder,
) {
  function askToLogIn(visit: Visit): void {
    show(visit, 'login', { next: queryOf(visit.context).get('next') ?? '' });
  }

  async function logIn(visit: Visit): Promise<void> {
    const { context } = visit;
    // Checked before the form is read, so that a flood costs little.
    const early = logins.refusalNow(visit);
    if (early !== undefined)
      return show(visit, 'login', { next: '' }, { status: early.status, flash: early.flash });
    const form = await readForm(context.req);
    const entered = { name: fieldOf(form, 'name'), next: fieldOf(form, 'next') };
    const checked = await logins.check(visit, entered.name, fieldOf(form, 'password'));
    if (checked.kind === 'refused') {
      const { status, flash } = checked;
      return show(visit, 'login', entered, { status, flash });
    }
    await logins.note(visit, checked.user, 'login');
    await logins.enter(visit, checked.user);
    leadTo(context, targetOf(entered.next));
  }

  /** The page of an invitation, which sets a password. Viewing it does not use up the link. */
  async function welcome(visit: Visit, flash?: Flash, status = 200): Promise<void> {
    const token = queryOf(visit.context).get('token') ?? '';
    const user = await users.invited(token);
    if (user === undefined) return refuse(visit, 'welcome.over');
    show(visit, 'welcome', { name: user.name, shortest: SHORTEST_PASSWORD }, { status, flash });
  }

  async function accept(visit: Visit): Promise<void> {
    const { context } = visit;
    const form = await readForm(context.req);
    const password = fieldOf(form, 'password');
    const wrong = !isPossiblePassword(password)
      ? 'welcome.short'
      : password !== fieldOf(form, 'again')
        ? 'welcome.differ'
        : undefined;
    if (wrong !== undefined)
      return welcome(visit, { level: 'fail', text: wrong, values: { count: SHORTEST_PASSWORD } }, 422);
    const token = queryOf(context).get('token') ?? '';
    const invited = await users.invited(token);
    if (invited === undefined) return refuse(visit, 'welcome.over');
    await logins.note(visit, invited, 'welcome');
    const user = await users.accept(token, password);
    if (user === undefined) return refuse(visit, 'welcome.over');
    await logins.enter(visit, user);
    leadTo(context, '');
  }

  async function logOut(visit: Visit, { secret }: Login): Promise<void> {
    await logins.end(visit, secret);
    leadTo(visit.context, 'login');
  }

  function leadToLogin(visit: Visit): void {
    const { context, path } = visit;
    const { search } = context;
    // The user has followed a link from another site, so the browser sent no cookies: the user may be logged in. A request from
    // our own page will show it.
    if (/^(?:cross|same)-site$/.test(context.get('sec-fetch-site')) && byPath.has(path)) {
      context.set('Refresh', `0; url=${link(path)}${search}`);
      show(visit, 'message', { text: 'frame.moment' }, { title: visit.words.t('frame.momentTitle') });
      return;
    }
    leadTo(
      context,
      path === '' && search === '' ? 'login' : `login?${new URLSearchParams({ next: path + search })}`,
    );
  }

  /** The page to show after login, which must be a page of the admin. */
  function targetOf(next: string): string {
    const [path = '', query = ''] = next.split('?', 2);
    return byPath.has(path) ? `${path}${query && `?${new URLSearchParams(query)}`}` : '';
  }

  /** Shows a form of an earlier session again, with its entries, so that it can be sent again. */
  async function again(visit: Visit, user: User, form: Form): Promise<void> {
    const page = byPath.get(visit.path);
    if (page?.again === undefined) return refuse(visit, 'frame.foreign');
    if (!isAllowed(user, page.role)) return refuse(visit, 'frame.admins');
    const told = { status: 403, flash: { level: 'warn', text: 'login.again' } } as const;
    await giveAgain(visit, page, requestOf(visit, user, form), told);
  }

  return { askToLogIn, logIn, logOut, welcome, accept, leadToLogin, again };
}
