import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { ExecutionContext, TestFn } from 'ava';
import { gitIn } from '../../support/clones.js';
import { article, update } from '../../support/events.js';
import { firstCommands } from '../../support/first-commands.js';
import type { Receiver } from '../../support/receiver.js';
import { pageOf, type StaticServer, serveFolder } from '../../support/static-server.js';
import { until } from '../../support/until.js';
import {
  bodyOf,
  hostileArticles,
  hostileHtml,
  hostileMarkdown,
  hostileTags,
  hostileTexts,
  ordinaryArticles,
  PRODUCT,
  PUBLISHED_AT,
  type Sample,
  UPDATED_AT,
} from './articles.js';
import {
  checkByline,
  checkDate,
  checkNothingPrivate,
  checkPage,
  difference,
  filesBelow,
  type SiteLayout,
} from './checks.js';
import { addPosts } from './own-posts.js';
import { amendment } from './posts.js';
import { buildWithoutPressmark, checkOut, ROOT, type SiteSource, type WorkingCopy } from './working-copy.js';

/** The one command that a test does differently: without a network. */
export const INSTALL = /^npm install \.\/vendor\/pressmark-[\d.]+\.tgz$/;

/** A site, and what is known about it without Pressmark. */
export interface SiteUnderTest extends SiteSource, SiteLayout {
  /**
   * Posts of which more are made for hostile updates, and that name neither a slug nor a whole address; undefined where another
   * version of the same generator is tried, which gets new articles alone.
   */
  readonly copied?: readonly string[];
  /** Whether only `pressmark build` builds it, as builds in the background would take minutes in all. @default false */
  readonly isBuiltByHand?: boolean;
  /** Each so-manyth hostile text is published, and the one after it comes with an update. @default 2 */
  readonly every?: number;
  /** The public URL with the base path, without a slash at the end. */
  readonly siteUrl: string;
  /** What is another one in every page after each build, such as the names of its scripts. */
  readonly varies?: RegExp;
  /** Pages and feeds that list articles, and so change with each: paths in the output. */
  readonly lists: RegExp;
  /** The posts that people wrote, which an update refreshes: file -> path of the URL below `siteUrl`. */
  readonly posts: Readonly<Record<string, string>>;
  /** Posts whose address depends on what an update changes, and is pinned by the first one: file -> the key. */
  readonly pinned?: Readonly<Record<string, string>>;
  /** Front matter that an update may replace, and that which makes a body inert. */
  readonly keys: { readonly mapped: readonly string[]; readonly inert: readonly string[] };
  /** The key that pins the address of a new article; undefined where the file's name does. */
  readonly pin?: string;
  /** Whether the generator makes no page of a file whose date is in the future. @default false */
  readonly hidesFuture?: boolean;
  /** What doctor says of the articles. */
  readonly doctorSays?: RegExp;
  /** Posts that have no page: path of the URL that they would have -> what a lookup says about it. */
  readonly hidden: Readonly<Record<string, RegExp>>;
}

/** A line of `pressmark list --json` and `pressmark urls --json`. */
interface Listed {
  readonly url: string | null;
  readonly file: string;
  readonly id?: string;
  readonly revision?: string;
  /** How certain its URL is. */
  readonly address?: string;
}

/**
 * Registers the tests of one site: Pressmark is installed, receives articles, is killed, and the site's generator
 * builds; then everything is updated, and it builds once more. Each test goes on where the one before it ended.
 */
export function dropIn(test: TestFn, site: SiteUnderTest): void {
  let copy: WorkingCopy;
  let receiver: Receiver;
  let server: StaticServer;
  let canary: string;
  let copies: readonly string[] = [];
  let baseline: ReadonlyMap<string, Buffer>;
  let output: ReadonlyMap<string, Buffer>;
  /** What a page must show now, by its URL. */
  const expected = new Map<string, Sample>();
  const basePath = new URL(site.siteUrl).pathname.replace(/\/$/, '');
  const every = site.every ?? 2;
  /** The file of each URL. */
  let files: ReadonlyMap<string | null, string> = new Map();
  /** The article whose date is to come, where the generator makes no page of it before. */
  let toCome = { url: '', id: '' };

  test.serial.before('the site, built without Pressmark', async () => {
    copy = checkOut(site);
    if (site.copied !== undefined) {
      copies = addPosts(copy, site.copied, hostile().length);
      // An update first commits a text that is in no commit, one after the other.
      gitIn(copy.dir, 'add', '.');
      gitIn(copy.dir, 'commit', '--quiet', '-m', 'More posts');
    }
    canary = join(dirname(copy.dir), 'canary');
    baseline = filesBelow(await buildWithoutPressmark(copy, site));
    copy.install();
  });
  test.after.always(async () => {
    await receiver?.kill('SIGKILL');
    await server?.close();
    copy?.remove();
  });

  function hostile(): Sample[] {
    return hostileArticles(canary, every);
  }

  /** The page at a URL, as the site's host serves it. */
  async function get(url: string): Promise<{ readonly status: number; readonly html: string }> {
    const { pathname, search } = new URL(url);
    const response = await fetch(`${server.origin}${pathname}${search}`);
    return { status: response.status, html: await response.text() };
  }

  async function succeeds(t: ExecutionContext, ...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await copy.pressmark(...args);
    t.is(code, 0, `pressmark ${args.join(' ')}\n${stdout}\n${stderr}`);
    return stdout;
  }

  async function build(t: ExecutionContext): Promise<string> {
    const printed = await succeeds(t, 'build');
    output = filesBelow(copy.path(site.output));
    await server?.close();
    server = await serveFolder(copy.path(site.output), basePath);
    return printed;
  }

  async function publish(t: ExecutionContext, sample: Sample, second: number): Promise<void> {
    const timestamp = PUBLISHED_AT.replace(':00Z', `:${String(second % 60).padStart(2, '0')}Z`);
    const data = { ...sample.data, published_at: timestamp };
    const answer = await receiver.post('article.published', data, { envelope: { timestamp } });
    t.is(answer.status, 200, `${sample.name}: ${answer.text}`);
    const { url } = answer.json;
    t.true(url?.startsWith(`${site.siteUrl}/`), `${sample.name}: ${url}`);
    t.false(expected.has(url), `${sample.name}: the URL ${url} belongs to another article`);
    expected.set(url, { ...sample, data });
  }

  /** Updates what is at a URL with a sample's text, title and tags. */
  async function refresh(t: ExecutionContext, url: string, { data }: Sample): Promise<void> {
    const found = await receiver.post('article.lookup', { target_url: url });
    t.is(found.status, 200, `lookup of ${url}: ${found.text}`);
    const { id, revision_id } = found.json.target;
    const target = { target_id: id, target_url: url, base_revision_id: revision_id };
    // The id is the draft's own.
    const { id: _, ...rest } = { ...data, published_at: UPDATED_AT };
    const answer = await receiver.post('article.updated', update(target, rest), {
      envelope: { timestamp: UPDATED_AT },
    });
    t.is(answer.status, 200, `${url}: ${answer.text}`);
  }

  function checkOthers(t: ExecutionContext, written: readonly string[]): void {
    const pathOf = (url: string) => pageOf(new URL(url).pathname.slice(basePath.length + 1));
    const own = new Set([...expected.keys(), ...written].map(pathOf));
    const { gone, changed, added } = difference(baseline, output, site.varies);
    const isExpected = (path: string) => own.has(path) || site.lists.test(path);
    // A tag that no post has any longer has no page.
    const missing = gone.filter(
      (path) =>
        !(written.length > 0 && site.lists.test(path)) && !(site.varies && path.search(site.varies) === 0),
    );
    t.deepEqual(missing, [], 'pages that are gone');
    t.deepEqual(
      changed.filter((path) => !isExpected(path)),
      [],
      'pages that differ from those without Pressmark',
    );
    t.deepEqual(
      added.filter((path) => !isExpected(path)),
      [],
      'pages that are no article',
    );
  }

  async function checkArticles(t: ExecutionContext): Promise<void> {
    for (const [url, sample] of expected) {
      const { status, html } = await get(url);
      t.is(status, 200, `${sample.name}: ${url}`);
      if (status !== 200) continue;
      checkPage(t, html, sample, site);
      checkDate(t, html, sample, site);
      checkByline(t, html, sample, site);
    }
  }

  function checkNothingRan(t: ExecutionContext): void {
    t.false(fs.existsSync(canary), 'no article has run any code');
    checkNothingPrivate(t, output, copy.secret());
    const computed = [...output].filter(([, bytes]) => bytes.includes(PRODUCT)).map(([path]) => path);
    t.deepEqual(computed, [], 'no article was computed with');
  }

  test.serial('init asks nothing, and only adds to the files of the site', async (t) => {
    // What the page of the generator tells its reader to run is what happens here.
    const page = fs.readFileSync(join(ROOT, `docs/${site.folder}.md`), 'utf8');
    const [install = '', ...further] = firstCommands(page);
    t.regex(install, INSTALL);
    t.deepEqual(further, ['npx pressmark init --yes', 'npx pressmark start']);
    const shown = await succeeds(t, 'init', '--yes');
    t.true(shown.includes(site.siteUrl), 'init shows the URL of the site');
    t.true(fs.existsSync(copy.path('pressmark.config.mjs')));
    t.regex(copy.secret(), /^\S{24,}$/);
    for (const name of ['.env', '.pressmark/journal', 'node_modules/pressmark'])
      t.notThrows(() => gitIn(copy.dir, 'check-ignore', '--quiet', name), `git ignores ${name}`);
    const removed = gitIn(copy.dir, 'diff', '--numstat', '--', '.', ':!package.json').matchAll(
      /^\d+\t(\d+)\t(.+)$/gm,
    );
    for (const [, lines, file] of removed) t.is(lines, '0', `${file}: init has removed a line`);
  });

  test.serial('a receiver accepts ordinary and hostile articles, and is killed', async (t) => {
    if (site.isBuiltByHand) {
      const config = copy.read('pressmark.config.mjs');
      const byHand = config.replace(/^ {2}build: ('.*'),/m, '  build: { command: $1, background: false },');
      t.not(byHand, config);
      fs.writeFileSync(copy.path('pressmark.config.mjs'), byHand);
    }
    receiver = await copy.start();
    const samples = [...ordinaryArticles(), ...hostile(), hostileTags(canary)];
    for (const [second, sample] of samples.entries()) await publish(t, sample, second);
    await receiver.kill('SIGKILL');
  });

  test.serial('the site with all of them is built', async (t) => {
    await build(t);
  });

  test.serial('each article is at the URL that was answered, as sent', (t) => checkArticles(t));

  test.serial('every other page is as it was without Pressmark', (t) => {
    checkOthers(t, []);
  });

  test.serial('no article has run as a template', (t) => {
    checkNothingRan(t);
  });

  // Lookups, updates and doctor read files, whatever version builds them.
  if (site.copied === undefined) return;

  test.serial(
    'after a restart, a lookup finds each article at its URL, and each post that has a page',
    async (t) => {
      receiver = await copy.start();
      for (const [url, { data }] of expected) {
        const { json, status, text } = await receiver.post('article.lookup', { target_url: url });
        t.is(status, 200, `${url}: ${text}`);
        t.is(json.target?.id, data.id);
        t.is(json.target?.title, data.title);
        t.is(json.target?.content_html, data.content_html);
      }
      for (const [file, path] of Object.entries(site.posts)) {
        const { status, text } = await receiver.post('article.lookup', {
          target_url: `${site.siteUrl}${path}`,
        });
        t.is(status, 200, `${file}: ${text}`);
      }
    },
  );

  test.serial('a lookup says why a draft, a future post and a page of code are not found', async (t) => {
    for (const [path, why] of Object.entries(site.hidden)) {
      const { status, text } = await receiver.post('article.lookup', {
        target_url: `${site.siteUrl}${path}`,
      });
      t.is(status, 404, path);
      t.regex(text, why, path);
    }
    const nowhere = await receiver.post('article.lookup', { target_url: `${site.siteUrl}/no/such/page/` });
    t.is(nowhere.status, 404);
  });

  test.serial('list and urls show each article and each post with its URL', async (t) => {
    const byUrl = async (command: string) => {
      const lines = JSON.parse(await succeeds(t, command, '--json')) as Listed[];
      return new Map(lines.map((line) => [line.url, line]));
    };
    for (const command of ['list', 'urls']) {
      const listed = await byUrl(command);
      for (const url of expected.keys()) t.true(listed.has(url), `${command}: ${url}`);
      for (const [file, path] of Object.entries(site.posts))
        t.true(listed.get(`${site.siteUrl}${path}`)?.file.endsWith(file), `${command}: ${file}`);
      if (command === 'urls') continue;
      files = new Map([...listed].map(([url, { file }]) => [url, file]));
      for (const [url, { data }] of expected) {
        const { id, address, revision } = listed.get(url) ?? {};
        t.deepEqual([id, address], [data.id, 'pinned'], url);
        t.truthy(revision, url);
      }
      for (const path of Object.values(site.posts))
        t.regex(listed.get(`${site.siteUrl}${path}`)?.address ?? '', /^(?:listed|pinned)$/, path);
    }
  });

  test.serial('an update of an edited article is refused, and its file stays as it is', async (t) => {
    const [url = ''] = [...expected].find(([, { data }]) => data.id === 'ordinary-markdown') ?? [];
    const { id, revision_id } = await receiver.find(url);
    const file = fileWith(copy, 'Wer wartet, sieht mehr.');
    fs.appendFileSync(file, '\nA sentence by hand.\n');
    const text = fs.readFileSync(file, 'utf8');
    await until('the lookup shows the edit', async () =>
      (await receiver.find(url)).revision_id.startsWith('edit-'),
    );
    const stale = update({ target_id: id, target_url: url, base_revision_id: revision_id });
    const answer = await receiver.post('article.updated', stale);
    t.is(answer.status, 409, answer.text);
    t.is(answer.json.error, 'Article revision conflict');
    t.is(fs.readFileSync(file, 'utf8'), text);
    const [sample] = ordinaryArticles();
    if (sample === undefined) throw new Error('there is no ordinary article');
    const title = 'Ein Beet, neu angelegt';
    await refresh(t, url, { ...sample, data: { ...sample.data, title } });
    const before = expected.get(url);
    if (before !== undefined) expected.set(url, { ...before, data: { ...before.data, title } });
    t.false(fs.readFileSync(file, 'utf8').includes('A sentence by hand.'));
  });

  test.serial('hostile updates are accepted, and swap Markdown and HTML', async (t) => {
    const texts = hostileTexts(canary);
    const hostile = [...expected].filter(
      ([, { data }]) => data.id.startsWith('hostile-') && data.id !== 'hostile-tags',
    );
    await inLanes(hostile, async ([url, sample], index) => {
      const form = sample.form === 'markdown' ? 'html' : 'markdown';
      // Another text than before, at the same URL: one that has not been sent yet, or not in this form.
      const text = texts[(index * every + 1) % texts.length] ?? '';
      const body = form === 'markdown' ? hostileMarkdown(text) : hostileHtml(text);
      const data = { ...sample.data, ...bodyOf(form, body, sample.data.id), title: `Updated: ${text}` };
      const updated: Sample = {
        ...sample,
        name: `${sample.name}, updated to ${form}`,
        data,
        form,
        isHtmlInMarkdown: form === 'html',
      };
      await refresh(t, url, updated);
      expected.set(url, updated);
    });
  });

  /** What the page of a refreshed post must show, by its URL. */
  const refreshed = new Map<string, Sample>();

  test.serial(
    'a first update of a post by hand changes its body and mapped fields, and nothing else',
    async (t) => {
      const samples = hostile();
      for (const [index, [file, path]] of Object.entries(site.posts).entries()) {
        const url = `${site.siteUrl}${path}`;
        const sample = samples[(7 * index) % samples.length];
        if (sample === undefined) throw new Error('there is no hostile article');
        const before = copy.read(file);
        await refresh(t, url, sample);
        refreshed.set(url, { ...sample, name: `the refreshed ${file}`, isHtmlInMarkdown: true });
        const { changed, added, isRestKept } = amendment(before, copy.read(file));
        const pin = site.pinned?.[file];
        const allowed = [
          ...site.keys.mapped,
          ...site.keys.inert,
          'pressmark',
          ...(pin === undefined ? [] : [pin]),
        ];
        t.deepEqual(
          [...changed, ...added].filter((key) => !allowed.includes(key)),
          [],
          `${file}: other keys`,
        );
        t.true(
          isRestKept,
          `${file}: the rest of its front matter is as it was\n${before}\n${copy.read(file)}`,
        );
        t.true([...changed, ...added].includes(pin ?? 'pressmark'), `${file}: ${pin ?? 'pressmark'} is set`);
      }
    },
  );

  test.serial('each hostile article replaces a post by hand', async (t) => {
    await inLanes(hostile(), async (sample, index) => {
      const file = copies[index] ?? '';
      const [url] = [...files].find(([, other]) => other.endsWith(file)) ?? [];
      if (typeof url !== 'string') throw new Error(`${file} has no URL`);
      await refresh(t, url, sample);
      refreshed.set(url, { ...sample, name: `the refreshed ${file}`, isHtmlInMarkdown: true });
    });
    t.is(refreshed.size, Object.keys(site.posts).length + copies.length);
  });

  test.serial('the site with all updates is built, without an article of a date to come', async (t) => {
    if (site.hidesFuture === true) {
      const data = article({
        slug: 'to-come',
        content_markdown: 'Still to come.',
        published_at: new Date(Date.now() + 86_400_000).toISOString(),
      });
      const answer = await receiver.post('article.published', data);
      t.is(answer.status, 200, answer.text);
      toCome = { url: answer.json.url, id: data.id };
    }
    const printed = await build(t);
    if (site.hidesFuture !== true) return;
    t.regex(printed, /to-come\.\w+ \(scheduled\)/);
    t.is((await get(toCome.url)).status, 404);
  });

  test.serial('each updated article is at its URL, as sent', (t) => checkArticles(t));

  test.serial('each refreshed post is where it was, with its new text', async (t) => {
    for (const [url, sample] of refreshed) {
      const { status, html } = await get(url);
      t.is(status, 200, url);
      checkPage(t, html, sample, site);
    }
  });

  test.serial('after the updates, every other page is as it was without Pressmark', (t) => {
    checkOthers(t, [...refreshed.keys()]);
  });

  test.serial('no update has run as a template', (t) => {
    checkNothingRan(t);
  });

  test.serial('doctor finds the site in good order', async (t) => {
    t.regex(await succeeds(t, 'doctor'), site.doctorSays ?? /./);
  });

  if (site.hidesFuture === true && site.isBuiltByHand !== true)
    test.serial('an article of a date to come gets its page when its date has come', async (t) => {
      const file = fileWith(copy, 'Still to come.');
      const date = new Date(Date.now() + 2_000).toISOString();
      fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/^date: .*/m, `date: ${date}`));
      const page = copy.path(
        `${site.output}${new URL(toCome.url).pathname.slice(basePath.length)}index.html`,
      );
      await until('it has its page', () => fs.existsSync(page));
      t.true(Date.now() >= Date.parse(date));
      t.true(fs.readFileSync(page, 'utf8').includes(`svc:item:${toCome.id}`));
    });

  test.serial('doctor finds what was broken, and says how to fix it', async (t) => {
    // A receiver that runs would ask the generator again, where a broken file may be at its address all the same.
    await receiver.stop();
    const file = relative(copy.dir, fileWith(copy, 'Frogs find it'));
    // Where an article's address is pinned it no longer is; where it cannot be, the whole site has moved.
    const [name, from, to, said] =
      site.pin === undefined
        ? ['pressmark.config.mjs', site.siteUrl, 'https://elsewhere.example', /elsewhere\.example/]
        : [file, new RegExp(`^${site.pin}: .*\n`, 'm'), '', /does not pin its address/];
    const whole = copy.read(name);
    const broken = whole.replace(from, to);
    t.not(broken, whole, `${name}: ${from}`);
    fs.writeFileSync(copy.path(name), broken);
    const { code, stdout } = await copy.pressmark('doctor');
    t.is(code, 1, stdout);
    t.regex(stdout, said);
    t.regex(stdout, /→ \S/, 'there is a fix');
  });
}

/** Enough that the receiver has something to do while one delivery waits for the disk. */
const LANES = 8;

/** Does something with each item of a list, several at a time. */
async function inLanes<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const waiting = [...items.entries()];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Writes a day such as `1 June 2025`, as it is in a time zone. */
export function dayIn(timeZone: string): (iso: string) => string {
  const format = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone,
  });
  return (iso) => format.format(new Date(iso));
}

/** The only file of a working copy that has a text, and is in git or will be. */
function fileWith(copy: WorkingCopy, text: string): string {
  const [path = '', ...others] = gitIn(copy.dir, 'grep', '--untracked', '-l', '-F', text).trim().split('\n');
  if (others.length > 0) throw new Error(`several files have ${text}: ${[path, ...others].join(', ')}`);
  return copy.path(path);
}
