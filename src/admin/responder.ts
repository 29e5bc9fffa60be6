import type { Context } from 'koa';
import { PressmarkError } from '../errors.js';
import { cookieOf, setCookie } from './access/cookies.js';
import { type Form, fieldOf } from './access/forms.js';
import type { Login, Visitor } from './access/login.js';
import { formTokenOf } from './access/sessions.js';
import type { Role, User } from './access/users.js';
import {
  type AdminPage,
  type AdminRoom,
  type Flash,
  type FormRequest,
  MISSING,
  type PageAnswer,
} from './page.js';
import { createViews, link } from './views.js';
import type { Words } from './words.js';

/** A request to the admin, and its client. */
export interface Visit extends Visitor {
  readonly words: Words;
  /** Below `/-/admin/`. */
  readonly path: string;
  /** Undefined if nobody is logged in. */
  readonly login: Login | undefined;
}

/** See `createResponder`. */
export type Responder = ReturnType<typeof createResponder>;

const FLASH_SECONDS = 60;

/**
 * Creates the functions that send the answers of pages, with the menu, the user and the message from the previous page.
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
    const { context, words, path, login } = visit;
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
        flash: flash ?? takeFlash(visit),
        menu: menu
          .filter(({ role }) => isAllowed(login?.user, role))
          .map((page) => ({ path: page.path, title: titleOf(page, words) })),
        ...(login !== undefined && { user: login.user, token: formTokenOf(login.secret) }),
      },
    );
  }

  /** Shows a page with one sentence. @param title a key of the words. */
  function tell(visit: Visit, status: number, title: string, sentence: object): void {
    show(visit, 'message', sentence, { status, title: visit.words.t(title) });
  }

  const missing = (visit: Visit) => tell(visit, 404, 'frame.missingTitle', { text: 'frame.missing' });

  const refuse = (visit: Visit, text: string) => tell(visit, 403, 'frame.refusedTitle', { text });

  /** The status and the text of an error. */
  function failure({ context, words }: Visit, error: unknown) {
    if (error instanceof PressmarkError) {
      const isOfForm = error.code === 'USAGE' || error.code === 'BODY_INVALID';
      return { status: isOfForm ? 422 : error.status, reason: error.message };
    }
    host.log.error({ err: error, path: context.path }, 'a page of the admin failed');
    return { status: 500, reason: words.t('frame.failed') };
  }

  function fail(visit: Visit, error: unknown): void {
    const { status, reason } = failure(visit, error);
    tell(visit, status, 'frame.failedTitle', { reason });
  }

  /**
   * Shows the form of a page again with the entries. @param told the reason why nothing was done, if the page itself does not
   * show it.
   */
  async function giveAgain(
    visit: Visit,
    page: AdminPage,
    request: FormRequest,
    told: { readonly status: number; readonly flash: Flash },
  ): Promise<void> {
    const shown = (await page.again?.(request)) ?? MISSING;
    give(visit, page, shown.kind === 'view' ? { ...told, ...shown } : shown);
  }

  /** Answers a form whose action has failed, with the entries if the page can show them. */
  async function failForm(
    visit: Visit,
    page: AdminPage,
    request: FormRequest,
    error: unknown,
  ): Promise<void> {
    if (page.again === undefined) return fail(visit, error);
    const { status, reason } = failure(visit, error);
    const code = error instanceof PressmarkError ? error.code : undefined;
    const isStored = code === 'COMMIT_FAILED' || code === 'REMOTE_UNAVAILABLE';
    const text = isStored ? 'articles.unfinished' : 'articles.refused';
    await giveAgain(visit, page, request, {
      status,
      flash: { level: 'fail', text, values: { reason } },
    });
  }

  return { byPath, give, show, missing, refuse, fail, giveAgain, failForm };
}

/** Whether a user has a role; false if nobody is logged in. */
export function isAllowed(user: User | undefined, least: Role): boolean {
  return user !== undefined && (user.role === 'admin' || least === 'editor');
}

function titleOf({ title }: AdminPage, { t }: Words): string {
  return typeof title === 'string' ? t(title) : title.text;
}

/** The request of a form. */
export function requestOf(visit: Visit, user: User, form: Form): FormRequest {
  const field = (name: string) => fieldOf(form, name);
  const { context, access, words } = visit;
  return { user, query: queryOf(context), origin: access.origin, words, form, field };
}

/** The query of a request. */
export function queryOf(context: Context): URLSearchParams {
  return new URLSearchParams(context.querystring);
}

/** Redirects to another page. @param to below `/-/admin/`, with its query. */
export function leadTo(context: Context, to: string): void {
  context.status = 303;
  context.set('Location', `${link('')}${to}`);
  context.body = '';
}

function setFlash(context: Context, flash: Flash, isSecure: boolean): void {
  const value = Buffer.from(JSON.stringify(flash)).toString('base64url');
  setCookie(context, 'flash', value, { isSecure, seconds: FLASH_SECONDS });
}

/** Takes the message from the previous page, which is shown once. */
function takeFlash({ context, access: { isSecure }, words }: Visit): Flash | undefined {
  const value = cookieOf(context, 'flash', isSecure);
  if (value === undefined) return undefined;
  setCookie(context, 'flash', '', { isSecure, seconds: 0 });
  try {
    const flash = JSON.parse(Buffer.from(value, 'base64url').toString()) as Flash;
    words.t(flash.text, flash.values); // throws where it cannot be shown
    return ['ok', 'warn', 'fail'].includes(flash.level) ? flash : undefined;
  } catch {
    return undefined; // somebody has written it by hand
  }
}
