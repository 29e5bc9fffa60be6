import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from 'koa';
import { messageOf } from '../errors.js';
import { ADMIN_PATH } from '../host/http/routes.js';
import type { ReceiverHost } from '../host/plugin.js';
import { PACKAGE_FOLDER } from '../own-package.js';
import { type AccessRules, createAccess } from './access/access.js';
import { createAttempts, LIMIT } from './access/attempts.js';
import { type Form, fieldOf, hasToken, isFromOwnPage, readLargeForm } from './access/forms.js';
import { createLogins, type Login } from './access/login.js';
import { createLoginPages } from './access/login-pages.js';
import { formTokenOf } from './access/sessions.js';
import type { Users } from './access/users.js';
import { openAudit } from './audit.js';
import type { AdminPage, AdminRoom, PageAnswer } from './page.js';
import { pagesOf } from './pages.js';
import { createPreviews } from './previews.js';
import { createResponder, isAllowed, leadTo, queryOf, requestOf, type Visit } from './responder.js';
import { type Language, languageFor, type Words, wordsIn } from './words.js';

/** The running admin. */
export interface Admin {
  /** Answers a request below `/-/admin/`. */
  handle(context: Context): Promise<void>;
  readonly pages: readonly AdminPage[];
}

/** Only the admin's own scripts and styles run, and no other site may frame a page. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https: http:; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow',
  // With `no-referrer`, browsers would send our own forms without an origin.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** The files that are served before login. */
const FILES: Readonly<Record<string, string>> = { 'style.css': 'text/css', 'admin.js': 'text/javascript' };

/** Creates the admin. A request passes access, headers, session, form and page, in this order. */
export function createAdmin(host: ReceiverHost, users: Users, rules: AccessRules): Admin {
  const accessOf = createAccess(rules);
  const audit = openAudit(host.storage);
  const previews = createPreviews(host);
  const attempts = createAttempts(LIMIT);
  const logins = createLogins({ host, users, audit, attempts });
  const room: AdminRoom = { host, users, audit, attempts, previews };
  const pages = pagesOf(room);
  const files = new Map(
    Object.entries(FILES).map(([name, type]) => {
      const bytes = readFileSync(join(PACKAGE_FOLDER, 'src/admin', name));
      return [name, { type, bytes, version: createHash('sha256').update(bytes).digest('hex').slice(0, 12) }];
    }),
  );
  const responder = createResponder(
    room,
    pages,
    (name) => `${ADMIN_PATH}${name}?v=${files.get(name)?.version ?? ''}`,
  );
  const { byPath, give, missing, refuse, fail, failForm } = responder;
  const loginPages = createLoginPages(room, logins, responder);

  const inLanguages = new Map<Language, Words>();

  /** Made once for each language, as formatters are costly and strangers can request pages too. */
  function wordsFor(language: Language): Words {
    const words = inLanguages.get(language) ?? wordsIn(language, host.site.timeZone);
    inLanguages.set(language, words);
    return words;
  }

  async function handle(context: Context): Promise<void> {
    context.set(HEADERS);
    const access = accessOf(context.req);
    const words = wordsFor(languageFor(context.get('accept-language')));
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
    if (sendFile(context, path)) return;
    const login = await logins.of({ context, access });
    const own = login?.user.language;
    const visit: Visit = {
      context,
      access,
      path,
      login,
      words: own === undefined ? words : wordsFor(languageFor(own)),
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
    // Not cached for a page of another version, while receivers are being replaced.
    if (queryOf(context).get('v') === file.version)
      context.set('Cache-Control', 'public, max-age=31536000, immutable');
    context.body = file.bytes;
    return true;
  }

  async function answer(visit: Visit): Promise<void> {
    const { context, path, login } = visit;
    const isForm = context.method === 'POST';
    if (isForm && !isFromOwnPage(context.req, visit.access.origin)) return refuse(visit, 'frame.foreign');
    if (path === 'login') return isForm ? loginPages.logIn(visit) : loginPages.askToLogIn(visit);
    if (path === 'welcome') return isForm ? loginPages.accept(visit) : loginPages.welcome(visit);
    if (login === undefined) return isForm ? refuse(visit, 'frame.over') : loginPages.leadToLogin(visit);
    if (isForm) {
      const form = await readLargeForm(context.req, host.articles);
      // The session may have ended, or the user's role may have changed, while the form arrived.
      return answerForm({ ...visit, login: await logins.of(visit) }, form);
    }
    const page = byPath.get(path);
    if (page === undefined) return missing(visit);
    if (!isAllowed(login.user, page.role)) return refuse(visit, 'frame.admins');
    const { words, access } = visit;
    give(
      visit,
      page,
      await page.show({ user: login.user, query: queryOf(context), origin: access.origin, words }),
    );
  }

  async function answerForm(visit: Visit, form: Form): Promise<void> {
    const { path, login } = visit;
    if (login === undefined) return refuse(visit, 'frame.over');
    if (!hasToken(form, formTokenOf(login.secret))) return loginPages.again(visit, login.user, form);
    if (path === 'logout') return loginPages.logOut(visit, login);
    return act(visit, login, form);
  }

  /** Notes an action in the audit log, and then carries it out, so that a kill cannot lose the record. */
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
    /** The action is answered even if its outcome cannot be noted. */
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
    let done: PageAnswer;
    try {
      await note();
      done = await action.run(request);
    } catch (error) {
      await noteOutcome(messageOf(error));
      return failForm(visit, page, request, error);
    }
    const refused = refusalIn(done);
    const made = about === undefined && done.kind === 'redirect' ? idLedTo(done.to) : undefined;
    if (refused !== undefined || made !== undefined) await noteOutcome(refused, made);
    if (done.kind === 'redirect' && done.enters !== undefined) await logins.enter(visit, done.enters);
    give(visit, page, done);
  }

  return { handle, pages };
}

/** The reason why an action was refused; undefined if it was done. */
function refusalIn(answered: PageAnswer): string | undefined {
  if (answered.kind === 'missing') return 'answered 404';
  if (answered.kind === 'view' && (answered.status ?? 200) >= 400) return `answered ${answered.status}`;
  const flash = answered.kind === 'redirect' ? answered.flash : undefined;
  return flash?.level === 'fail' ? String(flash.values?.reason ?? '') || flash.text : undefined;
}

/** The id of the article that an answer redirects to, such as a new one. */
function idLedTo(to: string): string | undefined {
  return new URLSearchParams(to.split('?', 2)[1]).get('id') ?? undefined;
}
