import type { AdminRoom, Flash } from '../page.js';
import { isAllowed, leadTo, queryOf, type Responder, requestOf, type Visit } from '../responder.js';
import { link } from '../views.js';
import { type Form, fieldOf, readForm } from './forms.js';
import type { Login, Logins } from './login.js';
import { isPossiblePassword, SHORTEST_PASSWORD } from './passwords.js';
import type { User } from './users.js';

/** The pages to log in and out, and for a form of an earlier session. */
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
    // Before anything is read, so that a flood costs little.
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
    await logins.enter(visit, checked.user, 'login');
    leadTo(context, targetOf(entered.next));
  }

  /** The page of a link that sets a password. To look at it does not use it up. */
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
    const user = await users.accept(queryOf(context).get('token') ?? '', password);
    if (user === undefined) return refuse(visit, 'welcome.over');
    await logins.enter(visit, user, 'welcome');
    leadTo(context, '');
  }

  async function logOut(visit: Visit, { secret }: Login): Promise<void> {
    await logins.end(visit, secret);
    leadTo(visit.context, 'login');
  }

  function leadToLogin(visit: Visit): void {
    const { context, path } = visit;
    const { search } = context;
    // Somebody has followed a link from elsewhere, with which browsers send no cookie of ours: they may be logged in. Only what
    // the page itself asks for shows it.
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

  /** Where to go after logging in: a page of the admin, and nothing else. */
  function targetOf(next: string): string {
    const [path = '', query = ''] = next.split('?', 2);
    return byPath.has(path) ? `${path}${query && `?${new URLSearchParams(query)}`}` : '';
  }

  /** A form that was opened in an earlier session comes back with what was entered, so that it can be sent again. */
  async function again(visit: Visit, user: User, form: Form): Promise<void> {
    const page = byPath.get(visit.path);
    if (page?.again === undefined) return refuse(visit, 'frame.foreign');
    if (!isAllowed(user, page.role)) return refuse(visit, 'frame.admins');
    const told = { status: 403, flash: { level: 'warn', text: 'login.again' } } as const;
    await giveAgain(visit, page, requestOf(visit, user, form), told);
  }

  return { askToLogIn, logIn, logOut, welcome, accept, leadToLogin, again };
}
