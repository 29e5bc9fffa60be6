import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Context } from 'koa';
import { messageOf, PressmarkError } from '../errors.js';
import type { ReceiverHost } from '../host/plugin.js';
import { type AccessRules, createAccess } from './access.js';
import { createAttempts, LIMIT } from './attempts.js';
import { openAudit } from './audit.js';
import { cookieOf, setCookie } from './cookies.js';
import { type Form, fieldOf, hasToken, isFromOwnPage, readForm, readLargeForm } from './forms.js';
import { createLogins, type Login, type Visitor } from './login.js';
import type { AdminPage, AdminRoom, Flash, FormRequest, PageAnswer } from './page.js';
import { pagesOf } from './pages.js';
import { isPossiblePassword, SHORTEST_PASSWORD } from './passwords.js';
import { createPreviews, PREVIEW_POLICY } from './previews.js';
import { createSessions, formTokenOf } from './sessions.js';
import type { Role, User, Users } from './users.js';
import { ADMIN_PATH, createViews, link } from './views.js';
import { ADMIN_FOLDER, type Language, languageFor, phrasesOf, type Words, wordsIn } from './words.js';

/** The running admin. */
export interface Admin {
  /** Answers a request below `/-/admin/`. */
  handle(context: Context): Promise<void>;
  readonly pages: readonly AdminPage[];
}

/** Who asks for a page, and how. */
interface Visit extends Visitor {
  readonly words: Words;
  /** Below `/-/admin/`. */
  readonly path: string;
  /** Undefined where nobody is logged in. */
  readonly login: Login | undefined;
}

/** Scripts and styles are files of ours; nothing else runs, and no other site may frame a page. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https: http:; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow',
  // With `no-referrer` browsers would say of our own forms that they come from nowhere.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** What browsers get before anybody has logged in. */
const FILES: Readonly<Record<string, string>> = { 'style.css': 'text/css', 'admin.js': 'text/javascript' };

/** What a page fetches. Pages and feeds, which have the text of a draft, are not among it. */
const FETCHED = /^(?:text\/css|image\/|font\/|audio\/|video\/)/;

const FLASH_SECONDS = 60;

/** The way of a request: address, headers, session, form, page. */
export function createAdmin(host: ReceiverHost, users: Users, rules: AccessRules): Admin {
  const accessOf = createAccess(rules);
  const sessions = createSessions(host.storage, users);
  const audit = openAudit(host.storage);
  const previews = createPreviews(host, (key, origin) => `${origin}${link(`preview/${key}/`)}`);
  const views = createViews();
  const attempts = createAttempts(LIMIT, join(host.storage.folder, 'attempts.log'));
  const logins = createLogins({ host, users, sessions, audit, attempts });
  const room: AdminRoom = { host, users, sessions, audit, attempts, previews };
  const pages = pagesOf(room);
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const menu = pages
    .filter((page) => page.menu !== undefined)
    .toSorted((a, b) => (a.menu ?? 0) - (b.menu ?? 0));
  const files = new Map(
    Object.entries(FILES).map(([name, type]) => {
      const bytes = readFileSync(join(ADMIN_FOLDER, name));
      return [name, { type, bytes, version: createHash('sha256').update(bytes).digest('hex').slice(0, 12) }];
    }),
  );
  const site = new URL(host.site.url).host;
  const assets = (name: string) => `${ADMIN_PATH}${name}?v=${files.get(name)?.version ?? ''}`;

  const inLanguages = new Map<Language, Words>();

  /** Made once for each language: what formats times and numbers is costly, and strangers can ask for a page, too. */
  function wordsFor(language: Language): Words {
    const words = inLanguages.get(language) ?? wordsIn(language, host.site.timeZone);
    inLanguages.set(language, words);
    return words;
  }

  async function handle(context: Context): Promise<void> {
    context.set(HEADERS);
    const access = accessOf(context.req);
    const words = wordsFor(languageFor(context.get('accept-language'), undefined));
    if (access.kind !== 'allowed') {
      context.status = 403;
      context.type = 'text/plain; charset=utf-8';
      context.body = words.t(`frame.${access.kind}`);
      return;
    }
    if (!['GET', 'HEAD', 'POST'].includes(context.method)) {
      context.status = 405;
      context.set('Allow', 'GET, HEAD, POST');
      context.body = '';
      return;
    }
    if (!context.path.startsWith(ADMIN_PATH)) return leadTo(context, '');
    const path = context.path.slice(ADMIN_PATH.length);
    if (sendFile(context, path) || (await sendPreviewFile(context, path, originOf({ context, access }))))
      return;
    const login = await logins.of({ context, access });
    const own = login?.user.language;
    const visit: Visit = {
      context,
      access,
      path,
      login,
      words: own === undefined ? words : wordsFor(languageFor(own, undefined)),
    };
    try {
      await answer(visit);
    } catch (error) {
      fail(visit, error);
    }
  }

  function sendFile(context: Context, path: string): boolean {
    const file = files.get(path);
    if (file === undefined || context.method === 'POST') return false;
    context.type = file.type;
    context.set('Cache-Control', 'public, max-age=31536000, immutable');
    context.body = file.bytes;
    return true;
  }

  /**
   * Answers with a file that the page of a preview shows. Its frame has no origin, and so no cookie: the address alone is the
   * right to it.
   */
  async function sendPreviewFile(context: Context, path: string, origin: string): Promise<boolean> {
    const [, key, name] = /^preview\/([0-9a-f]{32})(\/.+)$/.exec(path) ?? [];
    if (key === undefined || name === undefined || context.method === 'POST') return false;
    const file = await previews.file(key, name, origin);
    context.type = extname(file?.name ?? '');
    if (file === undefined || !FETCHED.test(context.type)) return false;
    context.set({
      'Content-Security-Policy': PREVIEW_POLICY,
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Access-Control-Allow-Origin': '*', // fonts
    });
    context.body = file.bytes;
    return true;
  }

  async function answer(visit: Visit): Promise<void> {
    const { context, path, login } = visit;
    const isForm = context.method === 'POST';
    if (isForm && !isFromOwnPage(context.req)) return refuse(visit, 'frame.foreign');
    if (path === 'login') return isForm ? logIn(visit) : show(visit, 'login', { next: nextOf(context) });
    if (path === 'welcome') return isForm ? accept(visit) : welcome(visit);
    if (login === undefined) return isForm ? resume(visit) : leadToLogin(visit);
    if (isForm) {
      const form = await readLargeForm(context.req, host.articles);
      if (!hasToken(form, formTokenOf(login.secret))) return again(visit, login.user, form);
      if (path === 'logout') return logOut(visit, login);
      return act(visit, login, form);
    }
    const page = byPath.get(path);
    if (page === undefined) return missing(visit);
    if (!isAllowed(login.user, page.role)) return refuse(visit, 'frame.admins');
    const { words } = visit;
    give(
      visit,
      page,
      await page.show({ user: login.user, query: queryOf(context), origin: originOf(visit), words }),
    );
  }

  /** Notes what a form of a page asks for, and carries it out: a record of what was done must not be lost by a kill. */
  async function act(visit: Visit, { user }: Login, form: Form): Promise<void> {
    const { path, access } = visit;
    const page = byPath.get(path);
    const name = fieldOf(form, 'do');
    const action =
      page?.actions !== undefined && Object.hasOwn(page.actions, name) ? page.actions[name] : undefined;
    if (page === undefined || action === undefined) return missing(visit);
    const request = requestOf(visit, user, form);
    const about = action.about?.(request);
    const note = (refused?: string, id = about) =>
      action.changes === false
        ? undefined
        : audit.note({
            at: new Date().toISOString(),
            who: user.name,
            from: access.network,
            what: `${path}:${name}`,
            ...(id !== undefined && { about: id }),
            ...(refused !== undefined && { refused }),
          });
    /** What was done is answered, also where that cannot be noted. */
    const noteOutcome = async (...outcome: Parameters<typeof note>) => {
      try {
        await note(...outcome);
      } catch (error) {
        host.log.error({ err: error, what: `${path}:${name}` }, 'what came of it is not in the audit log');
      }
    };
    if (!isAllowed(user, page.role) || !isAllowed(user, action.role ?? page.role)) {
      await note('only an admin may do this');
      return refuse(visit, 'frame.admins');
    }
    await note();
    let done: PageAnswer;
    try {
      done = await action.run(request);
    } catch (error) {
      await noteOutcome(messageOf(error));
      throw error;
    }
    const refused = refusalIn(done);
    const made = about === undefined && done.kind === 'redirect' ? idIn(done.to) : undefined;
    if (refused !== undefined || made !== undefined) await noteOutcome(refused, made);
    give(visit, page, done);
  }

  /** A form that was opened in an earlier session comes back with what was entered, so that it can be sent again. */
  async function again(visit: Visit, user: User, form: Form): Promise<void> {
    const page = byPath.get(visit.path);
    if (page?.again === undefined) return refuse(visit, 'frame.foreign');
    if (!isAllowed(user, page.role)) return refuse(visit, 'frame.admins');
    const shown = await page.again(requestOf(visit, user, form));
    const told = { status: 403, flash: { level: 'warn', text: 'login.again' } } as const;
    give(visit, page, shown.kind === 'view' ? { ...shown, ...told } : shown);
  }

  /**
   * The session of whoever has sent a form is over: what was entered waits in the form for the login, and comes back with
   * it. Only a browser in which somebody has been logged in has so much read.
   */
  async function resume(visit: Visit): Promise<void> {
    const { context } = visit;
    if (byPath.get(visit.path)?.again === undefined || !(await logins.isKnownBrowser(visit)))
      return refuse(visit, 'frame.over');
    const form = await readLargeForm(context.req, host.articles);
    const name = fieldOf(form, 'login-name');
    const ask = async (status: number, flash: Flash) =>
      show(visit, 'login', { name, entered: await enteredIn(form) }, { status, flash });
    if (!Object.hasOwn(form, 'login-password')) return ask(403, { level: 'warn', text: 'login.over' });
    const checked = await logins.check(visit, name, fieldOf(form, 'login-password'));
    if (checked.kind === 'refused') return ask(checked.status, checked.flash);
    const { user } = checked;
    const secret = await logins.enter(visit, user, 'login');
    return again({ ...visit, login: { user, secret } }, user, form);
  }

  /** The texts that were entered in a form, as HTML, without what belongs to a session and to the login. */
  async function enteredIn(
    form: Form,
  ): Promise<readonly { readonly nameHtml: string; readonly html: string }[]> {
    const names = Object.keys(form).filter((name) => !/^(?:token|do|login-name|login-password)$/.test(name));
    const texts = await host.articles.escaped([...names, ...names.map((name) => fieldOf(form, name))]);
    return names.map((_, n) => ({ nameHtml: texts[n] ?? '', html: texts[names.length + n] ?? '' }));
  }

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
      { ...data, styleSheet: assets('style.css'), script: assets('admin.js') },
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

  async function logIn(visit: Visit): Promise<void> {
    const { context, login } = visit;
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
    if (login !== undefined) await sessions.end(login.secret);
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

  return { handle, pages };
}

/** Why something was not done; undefined where it was. */
function refusalIn(answered: PageAnswer): string | undefined {
  if (answered.kind === 'missing') return 'answered 404';
  if (answered.kind === 'view' && (answered.status ?? 200) >= 400) return `answered ${answered.status}`;
  const flash = answered.kind === 'redirect' ? answered.flash : undefined;
  return flash?.level === 'fail' ? String(flash.values?.reason ?? '') || flash.text : undefined;
}

/** The id of the article that an answer leads to, such as the one that was made. */
function idIn(to: string): string | undefined {
  return new URLSearchParams(to.split('?', 2)[1]).get('id') ?? undefined;
}

/** Nobody is allowed what is not there. */
function isAllowed(user: User | undefined, least: Role | undefined): boolean {
  return user !== undefined && least !== undefined && (user.role === 'admin' || least === 'editor');
}

function titleOf({ title }: AdminPage, { t }: Words): string {
  return typeof title === 'string' ? t(title) : title.text;
}

function requestOf(visit: Visit, user: User, form: Form): FormRequest {
  const field = (name: string) => fieldOf(form, name);
  return { user, query: queryOf(visit.context), origin: originOf(visit), words: visit.words, form, field };
}

function originOf({ context, access }: Pick<Visit, 'context' | 'access'>): string {
  return `${access.isSecure ? 'https' : 'http'}://${context.get('host')}`;
}

function queryOf(context: Context): URLSearchParams {
  return new URLSearchParams(context.querystring);
}

function nextOf(context: Context): string {
  return queryOf(context).get('next') ?? '';
}

/** @param to below `/-/admin/`, with its query. */
function leadTo(context: Context, to: string): void {
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
