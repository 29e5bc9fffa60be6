import { join } from 'node:path';
import { escapeUTF8 } from 'entities';
import { Eta } from 'eta';
import type { AdminResult } from '../host/admin/additions.js';
import { ADMIN_PATH } from '../host/http/routes.js';
import { PACKAGE_FOLDER } from '../own-package.js';
import type { User } from './access/users.js';
import type { Flash } from './page.js';
import type { Words } from './words.js';

/** The frame around a view. */
export interface Frame {
  readonly words: Words;
  /** The text of the page's title. */
  readonly title: string;
  /** Below `/-/admin/`. */
  readonly path: string;
  /** Undefined if nobody is logged in. */
  readonly user?: User | undefined;
  /** The hidden token of forms; undefined if nobody is logged in. */
  readonly token?: string | undefined;
  readonly menu: readonly { readonly path: string; readonly title: string }[];
  readonly flash?: Flash | undefined;
  readonly site: string;
}

/** The position in a list of several pages. */
export interface Pager {
  /** Counted from 1. */
  readonly page: number;
  readonly pages: number;
  /** Below `/-/admin/`. */
  readonly path: string;
  /** The query of the list, without the page. */
  readonly query?: Readonly<Record<string, string>>;
}

/** The level of a state. */
export type Level = 'ok' | 'warn' | 'fail' | 'none';

const SIGNS: Readonly<Record<Level, string>> = { ok: '✓', warn: '!', fail: '✗', none: '–' };

/**
 * Creates the renderer of views. Everything that a view prints is escaped, except for the results of the helpers here, which
 * escape themselves.
 */
export function createViews() {
  const eta = new Eta({ views: join(PACKAGE_FOLDER, 'src/admin/views'), autoEscape: true, cache: true });

  /** A whole page. @param name `views/<name>.eta`. */
  function render(name: string, data: object, frame: Frame): string {
    const it = { ...data, ...helpersOf(frame) };
    const body = eta.render(name, it);
    return eta.render('layout', { ...it, body });
  }

  return { render };
}

/** The helpers for every view. */
function helpersOf({ words, token, flash, ...frame }: Frame) {
  const { t, ago, moment } = words;

  const time = (iso: string | undefined) =>
    iso === undefined
      ? ''
      : `<time datetime="${escapeUTF8(iso)}" title="${escapeUTF8(moment(iso))}">${escapeUTF8(ago(iso))}</time>`;

  const mark = (level: Level, text: string) =>
    `<span class="mark ${level}"><span aria-hidden="true">${SIGNS[level]}</span> ${escapeUTF8(text)}</span>`;

  const form = (action?: string) =>
    [
      `<input type="hidden" name="token" value="${escapeUTF8(token ?? '')}">`,
      ...(action === undefined ? [] : [`<input type="hidden" name="do" value="${escapeUTF8(action)}">`]),
    ].join('');

  /** A plugin's HTML, unescaped, or the reason of its failure. */
  const fromPlugin = (result: AdminResult, plugin: string) =>
    result.kind === 'done'
      ? `<div class="from-plugin">${result.text}</div>`
      : `<p class="notice fail">${escapeUTF8(t('added.viewFailed', { plugin, reason: result.reason }))}</p>`;

  function pager({ page, pages, path: to, query = {} }: Pager): string {
    if (pages <= 1) return '';
    const step = (target: number, text: string, rel: string) =>
      target < 1 || target > pages
        ? `<span class="muted">${escapeUTF8(text)}</span>`
        : `<a rel="${rel}" href="${escapeUTF8(link(to, { ...query, page: String(target) }))}">${escapeUTF8(text)}</a>`;
    return `<nav class="pager" aria-label="${escapeUTF8(t('frame.pages'))}">${step(page - 1, t('frame.previous'), 'prev')}
<span>${escapeUTF8(t('frame.page', { page, pages }))}</span>${step(page + 1, t('frame.next'), 'next')}</nav>`;
  }

  const shown = flash && { level: flash.level, text: t(flash.text, flash.values) };
  return { ...frame, ...words, time, mark, form, fromPlugin, pager, link, external, short, flash: shown };
}

/** The address of a page. @param path below `/-/admin/`. */
export function link(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const set = Object.entries(query).filter((one): one is [string, string] => one[1] !== undefined);
  const text = new URLSearchParams(set).toString();
  return `${ADMIN_PATH}${path}${text === '' ? '' : `?${text}`}`;
}

/** A foreign address, if it is a web address; anything else, such as `javascript:`, becomes an empty link. */
function external(url: string): string {
  return /^https?:\/\//i.test(url) ? url : '#';
}

/** The short form of an address: its path, without the site. */
function short(url: string): string {
  return URL.canParse(url) ? decodedPath(new URL(url).pathname) : url;
}

function decodedPath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
