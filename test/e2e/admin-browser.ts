import type { BrowserContext } from 'playwright-core';
import { type AdminClient, adminOf } from '../support/admin.js';
import { article } from '../support/events.js';
import { startHere } from '../support/receiver-here.js';
import { type BrowserOptions, openBrowser } from './browser.js';

/** A receiver with some articles, and somebody who is logged in to its admin. */
export interface AdminSite {
  readonly dir: string;
  /** Of the admin, with a slash at its end. */
  readonly url: string;
  readonly admin: AdminClient;
  /** Publishes a further article. */
  deliver(title: string): Promise<void>;
  /** A window of the browser in which that person is logged in. */
  open(options?: BrowserOptions): Promise<BrowserContext>;
}

const TITLES = ['When bees sleep', 'A hive in winter', 'Soil and its tenants', 'What moss remembers'];

/** Starts a receiver for tests of the admin's pages in a browser: no git, the site is built. */
export async function adminSite(
  t: Parameters<typeof startHere>[0],
  config: Readonly<Record<string, unknown>> = {},
): Promise<AdminSite> {
  const receiver = await startHere(t, { config: { git: false, ...config } });
  let sent = 0;
  const deliver = async (title: string) => {
    const id = `item-${sent++}`;
    const data = article({ id, slug: id, title, author: 'Ada Finch', tags: ['bees', 'soil'] });
    const { status } = await receiver.post('article.published', data);
    if (status !== 200) throw new Error(`${title} was answered ${status}`);
  };
  for (const title of TITLES) await deliver(title);
  await receiver.post('article.published', { ...article({ id: '' }) });
  const admin = await adminOf(receiver, { name: 'Ada Finch' });
  const [name = '', value = ''] = admin.cookie.split('=', 2);
  return {
    dir: receiver.dir,
    url: `${receiver.origin}/-/admin/`,
    admin,
    deliver,
    async open(options) {
      const browser = await openBrowser(t, options);
      const url = `${receiver.origin}/-/admin/`;
      await browser.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
      return browser;
    },
  };
}
