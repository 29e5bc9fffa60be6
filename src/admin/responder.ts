import type { Context } from 'koa';
import { PressmarkError } from '../errors.js';
import { cookieOf, setCookie } from './access/cookies.js';
import { type Form, fieldOf } from './access/forms.js';
import type { Login, Visitor } from './access/login.js';
import { formTokenOf } from './access/sessions.js';
import type { Role, User } from './access/users.js';
import type { AdminPage, AdminRoom, Flash, FormRequest, PageAnswer } from './page.js';
import { createViews, link } from './views.js';
import { phrasesOf, type Words } from './words.js';

/** Who asks for a page, and how. */
export interface Visit extends Visitor {
  readonly words: Words;
  /** Below `/-/admin/`. */
  readonly path: string;
  /** Undefined if nobody is logged in. */
  readonly login: Login | undefined;
}

/** What shows the answers of pages; see `createResponder`. */
export type Responder = ReturnType<typeof createResponder>;

const FLASH_SECONDS = 60;

/**
 * Shows what pages answer, with the menu, the message that is left for the next page, and who is logged in.
 *
 * @param addressOf the address of a file of the admin, such as `style.css`.
 */
export function createResponder(
  { host }: Pick<AdminRoom, 'host'>,
  pages: readonly AdminPage[],
  addressOf: (file: string) => string,
) {
  const views = createViews();
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const menu = pages
    .filter((page) => page.menu !== undefined)
    .toSorted((a, b) => (a.menu ?? 0) - (b.menu ?? 0));
  const site = new URL(host.site.url).host;

  function give(visit: Visit, page: AdminPage, answered: PageAnswer): void {
    const { context, words, access } = visit;
    switch (answered.kind) {
      case 'missing':
        missing(visit);
        break;
      case 'redirect':
        if (answered.flash !== undefined) setFlash(context, answered.flash, access.isSecure);
        leadTo(context, answered.to);
        break;
      case 'file':
        context.type = answered.type;
        if (answered.policy !== undefined) context.set('Content-Security-Policy', answered.policy);
        context.body = answered.body;
        break;
      case 'view': {
        const { view, data, title = titleOf(page, words), status = 200, flash } = answered;
        show(visit, view, data, { title, status, flash });
      }
    }
  }

  function show(
    visit: Visit,
    view: string,
    data: object,
    {
      title = visit.words.t(`${view}.title`),
      status = 200,
      flash,
    }: { title?: string; status?: number; flash?: Flash | undefined } = {},
  ): void {
    const { context, words, path, login, access } = visit;
    context.status = status;
    context.type = 'html';
    context.body = views.render(
      view,
      { ...data, styleSheet: addressOf('style.css'), script: addressOf('admin.js') },
      {
        words,
        title,
        path,
        site,
        has: (other) => isAllowed(login?.user, byPath.get(other)?.role),
        flash: flash ?? takeFlash(context, access.isSecure),
        menu: menu
          .filter(({ role }) => isAllowed(login?.user, role))
          .map((page) => ({ path: page.path, title: titleOf(page, words) })),
        ...(login !== undefined && { user: login.user, token: formTokenOf(login.secret) }),
      },
    );
  }

  function missing(visit: Visit): void {
    show(
      visit,
      'message',
      { text: 'frame.missing' },
      { status: 404, title: visit.words.t('frame.missingTitle') },
    );
  }

  function refuse(visit: Visit, text: string): void {
    show(visit, 'message', { text }, { status: 403, title: visit.words.t('frame.refusedTitle') });
  }

  function fail(visit: Visit, error: unknown): void {
    const { context, words } = visit;
    const isOurs = error instanceof PressmarkError;
    if (!isOurs) host.log.error({ err: error, path: context.path }, 'a page of the admin failed');
    const status = isOurs ? error.status : 500;
    const reason = isOurs ? error.message : words.t('frame.failed');
    show(visit, 'message', { reason }, { status, title: words.t('frame.failedTitle') });
  }

  return { byPath, give, show, missing, refuse, fail };
}

/** Whether a user has a role; `least` is undefined for what does not exist. */
export function isAllowed(user: User | undefined, least: Role | undefined): boolean {
  return user !== undefined && least !== undefined && (user.role === 'admin' || least === 'editor');
}

function titleOf({ title }: AdminPage, { t }: Words): string {
  return typeof title === 'string' ? t(title) : title.text;
}

/** What a page is asked with when a form of it was sent. */
export function requestOf(visit: Visit, user: User, form: Form): FormRequest {
  const field = (name: string) => fieldOf(form, name);
  return { user, query: queryOf(visit.context), origin: originOf(visit), words: visit.words, form, field };
}

/** Where the browser has the admin, such as `http://localhost:8787`. */
export function originOf({ context, access }: Pick<Visit, 'context' | 'access'>): string {
  return `${access.isSecure ? 'https' : 'http'}://${context.get('host')}`;
}

/** The query of a request. */
export function queryOf(context: Context): URLSearchParams {
  return new URLSearchParams(context.querystring);
}

/** Leads a browser to another page. @param to below `/-/admin/`, with its query. */
export function leadTo(context: Context, to: string): void {
  context.status = 303;
  context.set('Location', `${link('')}${to}`);
  context.body = '';
}

function setFlash(context: Context, flash: Flash, isSecure: boolean): void {
  const value = Buffer.from(JSON.stringify(flash)).toString('base64url');
  setCookie(context, 'flash', value, { isSecure, seconds: FLASH_SECONDS });
}

/** The message that the page before has left; it is shown once. */
function takeFlash(context: Context, isSecure: boolean): Flash | undefined {
  const value = cookieOf(context, 'flash', isSecure);
  if (value === undefined) return undefined;
  setCookie(context, 'flash', '', { isSecure, seconds: 0 });
  try {
    const flash = JSON.parse(Buffer.from(value, 'base64url').toString()) as Flash;
    return phrasesOf('en').has(flash.text) && ['ok', 'warn', 'fail'].includes(flash.level)
      ? flash
      : undefined;
  } catch {
    return undefined; // somebody has written it by hand
  }
}
