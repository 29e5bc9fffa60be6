import { PressmarkError } from '../errors.js';
import type { FormField } from '../host/http/form.js';
import type { ReceiverHost } from '../host/plugin.js';
import type { Attempts } from './access/attempts.js';
import type { Sessions } from './access/sessions.js';
import type { Role, User, Users } from './access/users.js';
import type { AuditLog } from './audit.js';
import type { Previews } from './previews.js';
import type { Words } from './words.js';

/** What the pages have in common. */
export interface AdminRoom {
  readonly host: ReceiverHost;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly audit: AuditLog;
  readonly attempts: Attempts;
  readonly previews: Previews;
}

/** What a page is asked with. */
export interface PageRequest {
  /** Who is logged in. */
  readonly user: User;
  /** The query of the address. */
  readonly query: URLSearchParams;
  /** Where the browser has the admin, such as `http://localhost:8787`. */
  readonly origin: string;
  /** The texts, times and numbers in the user's language. */
  readonly words: Words;
}

/** What a form of a page is sent with. */
export interface FormRequest extends PageRequest {
  /** The fields that were entered. */
  readonly form: Readonly<Record<string, FormField>>;
  /** A field that is one text; empty if it is missing. */
  field(name: string): string;
}

/** A message at the top of the next page. */
export interface Flash {
  readonly level: 'ok' | 'warn' | 'fail';
  /** A key of the words. */
  readonly text: string;
  readonly values?: Readonly<Record<string, string | number>>;
}

/** What a page answers. */
export type PageAnswer =
  | {
      readonly kind: 'view';
      /** `views/<view>.eta`. */
      readonly view: string;
      readonly data: object;
      /** In place of the page's own title; a text and no key. */
      readonly title?: string;
      /** @default 200 */
      readonly status?: number;
      readonly flash?: Flash;
    }
  | {
      readonly kind: 'redirect';
      /** Below `/-/admin/`. */
      readonly to: string;
      readonly flash?: Flash;
      /** Whether the browser gets a new session, as the password of its user has changed. @default false */
      readonly enters?: true;
    }
  | {
      readonly kind: 'file';
      /** Such as `text/html`. */
      readonly type: string;
      readonly body: string | Buffer;
      /** In place of the admin's Content-Security-Policy. For what others have written, it must have `sandbox`. */
      readonly policy?: string;
    }
  | { readonly kind: 'missing' };

/** What a form of a page does. */
export interface PageAction {
  /** Who may do it at least. @default as for the page */
  readonly role?: Role;
  /** What it is done to, for the audit log, such as the id of an article. */
  about?(request: FormRequest): string;
  /** Whether it changes anything, and is in the audit log; a preview is not. @default true */
  readonly changes?: false;
  run(request: FormRequest): Promise<PageAnswer>;
}

/** A page of the admin. */
export interface AdminPage {
  /** Below `/-/admin/`, such as `articles/edit`; empty for the first page. What it is about is in the query. */
  readonly path: string;
  /** A key of the words; or a text, of a plugin. */
  readonly title: string | { readonly text: string };
  /** Who may see it at least. */
  readonly role: Role;
  /** Where it stands in the menu, lower first. @default not in it */
  readonly menu?: number;
  show(request: PageRequest): Promise<PageAnswer>;
  /**
   * Shows its form with what was entered, where nothing was done: the session of that form is over, or its action failed.
   * @default what was entered is lost
   */
  again?(request: FormRequest): Promise<PageAnswer>;
  /** What its forms do, by the value of their button or field `do`. */
  readonly actions?: Readonly<Record<string, PageAction>>;
}

/** Shows a view. */
export function view(
  name: string,
  data: object,
  more: Pick<Extract<PageAnswer, { kind: 'view' }>, 'title' | 'status' | 'flash'> = {},
): PageAnswer {
  return { kind: 'view', view: name, data, ...more };
}

/** Leads to another page after a change. @param to below `/-/admin/`, with its query. */
export function redirect(to: string, flash?: Flash): PageAnswer {
  return { kind: 'redirect', to, ...(flash !== undefined && { flash }) };
}

/** The message of an error that can be corrected in the form. @throws any other error. */
export function correctable(error: unknown): Flash {
  if (!(error instanceof PressmarkError) || !/^(?:USAGE|BODY_INVALID)$/.test(error.code)) throw error;
  return { level: 'fail', text: 'frame.reason', values: { reason: error.message } };
}

/** Which of so many pages of a list a query asks for, from 1 on. */
export function pageIn({ query }: Pick<PageRequest, 'query'>, pages: number): number {
  return Math.min(Math.max(1, Math.trunc(Number(query.get('page')) || 1)), pages);
}

/** There is no such page, article, …. */
export const MISSING: PageAnswer = { kind: 'missing' };
