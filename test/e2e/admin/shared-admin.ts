import type { ExecutionContext, TestFn } from 'ava';
import type { BrowserContext } from 'playwright-core';
import { type AdminClient, adminOf } from '../../support/admin.js';
import { article, type PublishedData, update } from '../../support/events.js';
import { freePort } from '../../support/free-port.js';
import { type HereOptions, launchHere, type ReceiverHere } from '../../support/receiver-here.js';
import { shared, type Teardown } from '../../support/teardown.js';
import { tempDir } from '../../support/temp-dir.js';
import { type BrowserOptions, openBrowser } from '../browser.js';
import { type Person, personOn, WAYS, type Way } from './person.js';

/** A receiver whose admin is looked at in a browser, where Ada Finch is logged in. */
export interface AdminSite extends ReceiverHere {
  /** Of the admin, with a slash at its end. */
  readonly url: string;
  readonly admin: AdminClient;
  /** Publishes an article. @returns where it is. */
  publish(title: string, over?: Partial<PublishedData>): Promise<Published>;
  /** Updates it, as the service does. */
  rewrite(published: Published, text: string): Promise<void>;
  /** A window of the browser in which Ada is logged in. */
  open(t: ExecutionContext, options?: BrowserOptions): Promise<BrowserContext>;
}

const TITLES = ['When bees sleep', 'A hive in winter', 'Soil and its tenants', 'What moss remembers'];

/** Delivers some articles, `item-0` and so on, and one that is refused. */
export async function deliverSome(site: AdminSite): Promise<void> {
  for (const [n, title] of TITLES.entries()) await site.publish(title, { id: `item-${n}` });
  await site.post('article.published', article({ id: '' }));
}

/** An article that was delivered. */
export interface Published {
  readonly id: string;
  readonly title: string;
  readonly url: string;
}

/** What somebody does for whom. */
export interface Job {
  readonly t: ExecutionContext;
  readonly site: AdminSite;
  readonly way: Way;
  /** Ada Finch, an admin, on the overview. */
  readonly ada: Person;
  /** Somebody else at a browser, in the same way, who is not logged in. */
  stranger(path: string): Promise<Person>;
}

/** Writes what a site needs into its folder. @returns its config. */
type Prepare = (dir: string, origin: string) => Readonly<Record<string, unknown>>;

type Options = Pick<HereOptions, 'env' | 'secret'>;

/** One receiver for all tests of a file. */
export function sharedAdmin(test: TestFn, prepare: Prepare, options: Options = {}): () => AdminSite {
  return shared(test, async (t) => {
    const site = await adminSite(t, prepare, options);
    await openBrowser(t); // it is started once for all tests
    return site;
  });
}

/** Starts a receiver whose site is at its own address, so that its pages can be seen live. */
export async function adminSite(
  t: Teardown,
  prepare: Prepare = () => ({ git: false }),
  options: Options = {},
): Promise<AdminSite> {
  const dir = tempDir(t);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const config = { site: { search: false }, ...prepare(dir, origin) };
  const env = { PRESSMARK_SITE_URL: origin, ...options.env };
  const receiver = await launchHere(dir, { ...options, config, port, env });
  t.teardown(() => receiver.close());
  const admin = await adminOf(receiver, { name: 'Ada Finch' });
  const url = `${origin}/-/admin/`;
  const [name = '', value = ''] = admin.cookie.split('=', 2);
  return {
    ...receiver,
    url,
    admin,
    async publish(title, over) {
      const data = article({ title, author: 'Marta Oak', featured_image_url: null, ...over });
      const { status, json } = await receiver.post('article.published', data);
      if (status !== 200) throw new Error(`${title} was answered ${status}`);
      return { id: data.id, title, url: json.url };
    },
    async rewrite({ id, title, url: target_url }, text) {
      const { revision_id: base_revision_id } = await receiver.find(target_url);
      const target = { target_id: id, target_url, base_revision_id };
      const over = { title, content_markdown: text, content_html: `<p>${text}</p>` };
      const { status } = await receiver.post('article.updated', update(target, over));
      if (status !== 200) throw new Error(`the update of ${title} was answered ${status}`);
    },
    async open(t, options) {
      const browser = await openBrowser(t, options);
      await browser.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
      return browser;
    },
  };
}

type Jobs = Readonly<Record<string, (job: Job) => Promise<void>>>;

/**
 * Tests what people do on pages of the admin, and that every page on the way is as it should be.
 *
 * @param jobs the job of each page, done in each way.
 * @param further what else is done there, each in one of the ways, in turn.
 */
export function testJobs(test: TestFn, site: () => AdminSite, jobs: Jobs, further: Jobs = {}): void {
  const ways = Object.keys(WAYS) as Way[];
  for (const way of ways) for (const [name, run] of Object.entries(jobs)) testJob(test, site, way, name, run);
  for (const [n, [name, run]] of Object.entries(further).entries())
    testJob(test, site, ways[n % ways.length] ?? 'with JavaScript by keyboard alone', name, run);
}

function testJob(
  test: TestFn,
  site: () => AdminSite,
  way: Way,
  name: string,
  run: (job: Job) => Promise<void>,
): void {
  test.serial(`${name}, ${way}`, async (t) => {
    const faults: string[] = [];
    const at = async (browser: BrowserContext, path: string) => {
      const page = await browser.newPage();
      await page.goto(site().url + path);
      return personOn(page, way, (found) => faults.push(...found));
    };
    const { screen } = WAYS[way];
    const ada = await at(await site().open(t, screen), '');
    const stranger = async (path: string) => at(await openBrowser(t, screen), path);
    await run({ t, site: site(), way, ada, stranger });
    t.deepEqual(faults, []);
  });
}
