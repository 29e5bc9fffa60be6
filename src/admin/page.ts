import { PressmarkError } from '../errors.js';
import type { FormField } from '../host/http/form.js';
import type { ReceiverHost } from '../host/plugin.js';
import type { Attempts } from './access/attempts.js';
import type { Role, User, Users, VerifiedUser } from './access/users.js';
import type { AuditLog } from './audit.js';
import type { Previews } from './previews.js';
import type { Words } from './words.js';

/** The parts that all pages share. */
export interface AdminRoom {
  readonly host: ReceiverHost;
  readonly users: Users;
  readonly audit: AuditLog;
  readonly attempts: Attempts;
  readonly previews: Previews;
}

/** A request for a page. */
export interface PageRequest {
  /** The user who is logged in. */
  readonly user: User;
  /** The query of the address. */
  readonly query: URLSearchParams;
  /** The admin's origin in the browser, such as `http://localhost:8787`. */
  readonly origin: string;
  /** The texts, times and numbers in the user's language. */
  readonly words: Words;
}

/** A request with a form of a page. */
export interface FormRequest extends PageRequest {
  /** The fields that were entered. */
  readonly form: Readonly<Record<string, FormField>>;
  /** A text field; empty if it is missing. */
  field(name: string): string;
}

/** A message at the top of the next page. */
export interface Flash {
  readonly level: 'ok' | 'warn' | 'fail';
  /** A key of the words. */
  readonly text: string;
  readonly values?: Readonly<Record<string, string | number>>;
}

/** The answer of a page. */
export type PageAnswer =
  | {
      readonly kind: 'view';
      /** `views/<view>.eta`. */
      readonly view: string;
      readonly data: object;
      /** Replaces the page's own title; a text, not a key. */
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
      /** The user whose password has changed, and whose browser gets a new session. */
      readonly enters?: VerifiedUser;
    }
  | {
      readonly kind: 'file';
      /** Such as `text/html`. */
      readonly type: string;
      readonly body: string | Buffer;
      /** Replaces the admin's Content-Security-Policy. For foreign content, it must have `sandbox`. */
      readonly policy?: string;
    }
  | { readonly kind: 'missing' };

/** The action of a form. */
export interface PageAction {
  /** The lowest role that may do it. @default the page's role */
  readonly role?: Role;
  /** The object of the action, for the audit log, such as the id of an article. */
  about?(request: FormRequest): string;
  /** Whether it changes anything and is noted in the audit log; a preview is not. @default true */
  readonly changes?: false;
  run(request: FormRequest): Promise<PageAnswer>;
}

/** A page of the admin. */
export interface AdminPage {
  /** Below `/-/admin/`, such as `articles/edit`; empty for the first page. The query names its object. */
  readonly path: string;
  /** A key of the words, or a plugin's own text. */
  readonly title: string | { readonly text: string };
  /** The lowest role that may see it. */
  readonly role: Role;
  /** Its place in the menu, lower first. @default not in the menu */
  readonly menu?: number;
  show(request: PageRequest): Promise<PageAnswer>;
  /**
   * Shows its form again with the entries, if nothing was done: the form's session has ended, or its action failed.
   *
   * @default the entries are lost
   */
  again?(request: FormRequest): Promise<PageAnswer>;
  /** The actions of its forms, by the value of the button or field `do`. */
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

/** Redirects to another page after a change. @param to below `/-/admin/`, with its query. */
export function redirect(to: string, flash?: Flash): PageAnswer {
  return { kind: 'redirect', to, ...(flash !== undefined && { flash }) };
}

/** The message of an error that can be corrected in the form. @throws any other error. */
export function correctable(error: unknown): Flash {
  if (!(error instanceof PressmarkError) || !/^(?:USAGE|BODY_INVALID)$/.test(error.code)) throw error;
  return { level: 'fail', text: 'frame.reason', values: { reason: error.message } };
}

/** The page of a list that a query asks for, counted from 1. */
export function pageIn({ query }: Pick<PageRequest, 'query'>, pages: number): number {
  return Math.min(Math.max(1, Math.trunc(Number(query.get('page')) || 1)), pages);
}

/** The answer if the page, or the article that it is about, does not exist. */
export const MISSING: PageAnswer = { kind: 'missing' };
