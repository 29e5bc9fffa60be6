import { escapeUTF8 } from 'entities';
import { messageOf, quote } from '../../errors.js';
import { type Log, withoutHidden } from '../../log.js';
import { TimeoutError, within } from '../../time-limit.js';
import { checkKeys, complaintsOf, isName } from '../invalid.js';
import { asPlugin } from '../plugin-code.js';

/** A text as HTML that shows it, also within an attribute in quotes. */
export function escapeHtml(text: string): string {
  return escapeUTF8(text);
}

/** What a user of the admin may do: an editor writes, an admin may do everything. */
export type AdminRole = 'editor' | 'admin';

/** Who sent the request. */
export interface AdminRequest {
  readonly user: { readonly name: string; readonly role: AdminRole };
  /** The query of the page's address. */
  readonly query: URLSearchParams;
}

/** HTML that is shown within the admin's frame. Escape what comes from articles and deliveries: `escapeHtml`. */
export type AdminHtml = string | Promise<string>;

/** A page of a plugin in the admin. */
export interface AdminPage {
  /** One word in lower-case letters, digits and hyphens, such as `queue`. */
  readonly path: string;
  readonly title: string;
  /** Who sees it. @default 'admin' */
  readonly role?: AdminRole;
  render(request: AdminRequest): AdminHtml;
}

/** A part of the admin's overview. */
export interface AdminWidget {
  readonly title: string;
  /** Who sees it. @default 'editor' */
  readonly role?: AdminRole;
  render(request: AdminRequest): AdminHtml;
}

/** A button of a plugin in the admin. */
export interface AdminAction {
  /** One word in lower-case letters, digits and hyphens. */
  readonly name: string;
  readonly label: string;
  /** Where the button is: on the page of each article, on the overview, or with the plugin. */
  readonly on: 'article' | 'overview' | 'plugin';
  /** Who may press it. @default 'editor' on an article, else 'admin' */
  readonly role?: AdminRole;
  /**
   * Does the work; has 25 seconds.
   *
   * @param request.article the id of the article, if `on` is `article`.
   * @returns the message to show, as text.
   */
  run(
    request: AdminRequest & { readonly article: string | undefined },
  ): string | undefined | Promise<string | undefined>;
}

/** The methods of `host.admin`. */
export interface AdminAdding {
  /** Adds a page below `/-/admin/`. */
  page(page: AdminPage): void;
  /** Adds a part to the overview. */
  widget(widget: AdminWidget): void;
  /** Adds a button. */
  action(action: AdminAction): void;
}

/** The result of a plugin's code, or the reason of its failure. */
export type AdminResult =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** A page or a widget, with its plugin. It never throws. */
export type AddedView<View> = Omit<View, 'render' | 'role'> & {
  readonly plugin: string;
  readonly role: AdminRole;
  render(request: AdminRequest): Promise<AdminResult>;
};

/** An action, with its plugin. It never throws. */
export type AddedAction = Omit<AdminAction, 'run' | 'role'> & {
  readonly plugin: string;
  readonly role: AdminRole;
  run(request: AdminRequest & { readonly article: string | undefined }): Promise<AdminResult>;
};

/** What plugins add to the admin. */
export interface AdminAdditions {
  readonly pages: readonly AddedView<AdminPage>[];
  readonly widgets: readonly AddedView<AdminWidget>[];
  readonly actions: readonly AddedAction[];
}

/** How long plugins may take, in milliseconds. */
export interface AdminLimits {
  readonly renderMs: number;
  readonly runMs: number;
}

const LIMITS: AdminLimits = { renderMs: 5_000, runMs: 25_000 };

/** The longest HTML of a page, and the longest message of an action, in characters. */
const MOST_HTML = 1_000_000;
const MOST_WORDS = 1_000;

const ROLES: ReadonlySet<unknown> = new Set(['editor', 'admin']);
const PLACES: ReadonlySet<unknown> = new Set(['article', 'overview', 'plugin']);

/**
 * Creates the table of what plugins add to the admin. Their code runs within a time limit; if it fails, the log and the result
 * name the plugin.
 */
export function createAdminAdditions({ renderMs, runMs }: AdminLimits = LIMITS) {
  const pages: AddedView<AdminPage>[] = [];
  const widgets: AddedView<AdminWidget>[] = [];
  const actions: AddedAction[] = [];
  const all: AdminAdditions = { pages, widgets, actions };

  /** The methods of one plugin. @param checkOpen throws if registration has ended. */
  function addingOf(
    plugin: string,
    log: Log,
    checkOpen: (plugin: string, what: string) => void,
  ): AdminAdding {
    const complain = complaintsOf(plugin);

    /** @param others the keys that are allowed besides its texts, its function and `role`. */
    function check(
      what: string,
      given: object,
      texts: readonly string[],
      call: string,
      others: readonly string[] = [],
    ): void {
      checkOpen(plugin, what);
      checkKeys(given, [...texts, ...others, 'role', call], complaintsOf(plugin, `${what}: `));
      const fields = Object(given) as Readonly<Record<string, unknown>>;
      for (const key of texts)
        if (typeof fields[key] !== 'string' || fields[key] === '')
          throw complain(`${what} has the ${key} ${quote(fields[key])}; it must be a text`);
      if (typeof fields[call] !== 'function') throw complain(`${what} needs the function ${call}`);
      if (fields.role !== undefined && !ROLES.has(fields.role))
        throw complain(`${what} has the role ${quote(fields.role)}; write 'editor' or 'admin'`);
    }

    /** @param others the names that the plugin has used already. */
    function checkName(what: string, name: string, others: readonly string[]): void {
      if (!isName(name)) throw complain(`${what} must be named in lower-case letters, digits and hyphens`);
      if (others.includes(name)) throw complain(`${what} is there twice; rename one`);
    }

    const own = <T extends { readonly plugin: string }>(all: readonly T[]) =>
      all.filter((one) => one.plugin === plugin);

    /** Runs code of the plugin. @param accept turns what it returns into a text, or throws. */
    async function attempt(
      what: string,
      ms: number,
      run: () => unknown,
      accept: (value: unknown) => string,
    ): Promise<AdminResult> {
      try {
        const value = await within(
          ms,
          asPlugin(plugin, async () => run()),
        );
        return { kind: 'done', text: withoutHidden(accept(value)) };
      } catch (error) {
        const isLate = error instanceof TimeoutError;
        const reason = isLate ? `it took longer than ${ms / 1_000} s` : withoutHidden(messageOf(error));
        log.error({ reason }, `${what} failed`);
        return { kind: 'failed', reason };
      }
    }

    const rendering = (what: string, view: AdminPage | AdminWidget) => (request: AdminRequest) =>
      attempt(what, renderMs, () => view.render(request), htmlOf);

    return {
      page(page) {
        const what = `its page ${quote(page?.path)} in the admin`;
        check(what, page, ['path', 'title'], 'render');
        const { path, title, role = 'admin' } = page;
        checkName(
          what,
          path,
          own(pages).map((one) => one.path),
        );
        pages.push({ plugin, path, title, role, render: rendering(what, page) });
      },
      widget(widget) {
        const what = `its widget ${quote(widget?.title)} in the admin`;
        check(what, widget, ['title'], 'render');
        const { title, role = 'editor' } = widget;
        widgets.push({ plugin, title, role, render: rendering(what, widget) });
      },
      action(action) {
        const what = `its action ${quote(action?.name)} in the admin`;
        check(what, action, ['name', 'label'], 'run', ['on']);
        const { name, label, on, role = on === 'article' ? 'editor' : 'admin' } = action;
        checkName(
          what,
          name,
          own(actions).map((one) => one.name),
        );
        if (!PLACES.has(on))
          throw complain(`${what} is on ${quote(on)}; write 'article', 'overview' or 'plugin'`);
        const run: AddedAction['run'] = (request) => attempt(what, runMs, () => action.run(request), wordsOf);
        actions.push({ plugin, name, label, on, role, run });
      },
    };
  }

  return { all, addingOf };
}

function htmlOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('it did not return a text of HTML');
  if (value.length > MOST_HTML) throw new Error(`its HTML is longer than ${MOST_HTML} characters`);
  return value;
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MOST_WORDS) : '';
}
