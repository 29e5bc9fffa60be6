import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext, TestFn } from 'ava';
import { buildLock } from '../../../src/app/build/generator-build.js';
import { buildFolder } from '../../../src/deploy/build/build-state.js';
import type { Lock } from '../../../src/fs/lock.js';
import { articlesOf, withCaller } from '../../support/articles-of.js';
import { gitIn } from '../../support/clones.js';
import { type PublishedData, update } from '../../support/events.js';
import { filesWith } from '../../support/files-with.js';
import { firstCommands } from '../../support/first-commands.js';
import type { Receiver } from '../../support/receiver.js';
import { pageOf, type StaticServer, serveFolder } from '../../support/static-server.js';
import { until } from '../../support/until.js';
import { withPlugins } from '../../support/with-plugins.js';
import {
  hostileArticles,
  hostileTags,
  markedArticle,
  ordinaryArticles,
  PRODUCT,
  type Sample,
  swapped,
  UPDATED_AT,
} from './articles.js';
import {
  checkAdditions,
  checkByline,
  checkDate,
  checkNothingPrivate,
  checkPage,
  difference,
  filesBelow,
  type SiteLayout,
} from './checks.js';
import { addImages, articleWithPictures, checkPictures } from './images.js';
import { ADDED, MARKS, NOT_RUN } from './marks-plugin.js';
import { readPage } from './page.js';
import { checkOut, ROOT, type SiteSource, type WorkingCopy } from './working-copy.js';

/** A site, and what is known about it without Pressmark. */
export interface SiteUnderTest extends SiteSource, SiteLayout {
  /** Each so-manyth hostile text is tried. @default 1 */
  readonly every?: number;
  /** Whether the example that stores pictures is tried: with a program of its own, and with packages of Node.js. @default false */
  readonly hasPictures?: boolean;
  /** Changes the site's own files before `init`, as the docs of its generator say. */
  prepare?(copy: WorkingCopy): void;
  /** The public URL with the base path, without a slash at the end. */
  readonly siteUrl: string;
  /**
   * Pages and feeds that list articles, and so change with each: paths in the output. All other pages are compared with those
   * of a build without Pressmark, but where this is undefined: that nothing else changes is the same for all generators.
   */
  readonly lists?: RegExp;
  /**
   * Whether its people have built it before: where posts are is known by that, as the generator lists no pages. The titles of
   * posts stand for their pages, at the addresses that they had in a build; the last post is not refreshed, and is found where
   * the receiver's own build has it.
   */
  readonly isBuilt?: boolean;
  /** The rule for the addresses of posts that `init` finds out. */
  readonly permalink?: string;
  /** The posts that people wrote, which an update refreshes: file -> path of the URL below `siteUrl`. */
  readonly posts: Readonly<Record<string, string>>;
  /** What doctor says of the articles. */
  readonly doctorSays?: RegExp;
  /** Posts that have no page: path of the URL that they would have -> what a lookup says about it. */
  readonly hidden: Readonly<Record<string, RegExp>>;
}

/** A site with a receiver that has built it. */
export interface LiveSite {
  readonly copy: WorkingCopy;
  readonly receiver: Receiver;
  /** Lets the receiver build once more. */
  buildOnce(): Promise<void>;
}

/** The words of articles that are held when they come, scheduled, held later, and have expired: no file of the site has one. */
const NEVER_SHOWN = { quetzal: 'held', axolotl: 'scheduled', okapi: 'held', numbat: 'expired' } as const;

/**
 * Registers the tests of one site: Pressmark is installed, receives articles and updates while somebody else builds the site,
 * and then builds it with its generator. One build shows all of it. Each test goes on where the one before it ended.
 *
 * @returns a function that returns the site, for tests after these.
 */
export function dropIn(test: TestFn, site: SiteUnderTest): () => LiveSite {
  let copy: WorkingCopy;
  let receiver: Receiver;
  let server: StaticServer;
  let canary: string;
  /** Keeps the receiver from building: each change would bring a build by the generator. */
  let builder: Lock;
  let picture: string;
  /** The article with pictures, and where they were. */
  let pictured: { readonly url: string; readonly server: string } | undefined;
  let baseline: ReadonlyMap<string, Buffer>;
  let output: ReadonlyMap<string, Buffer>;
  /** What the page of an article must show, by its URL. */
  const expected = new Map<string, Sample>();
  /** What the page of a refreshed post must show, by its URL. */
  const refreshed = new Map<string, Sample>();
  /** The URLs of articles that have no page, and what they are. */
  const hidden = new Map<string, { readonly data: PublishedData; readonly state: string }>();
  const called = (title: string) => `${nameOf(site)}: ${title}`;
  const basePath = new URL(site.siteUrl).pathname.replace(/\/$/, '');

  /** The site, as it is without Pressmark, and then with it. */
  async function prepare(): Promise<void> {
    copy = checkOut(site);
    canary = join(dirname(copy.dir), 'canary');
    if (site.lists !== undefined) {
      const { code, stdout, stderr } = await copy.shell(site.build);
      if (code !== 0) throw new Error(`${site.build} ended with ${code}: ${stdout}${stderr}`);
      baseline = filesBelow(copy.path(site.output));
    } else if (site.isBuilt) writePages(copy, site);
    copy.install();
    if (site.prepare === undefined) return;
    site.prepare(copy);
    gitIn(copy.dir, 'commit', '--quiet', '--all', '-m', 'Pressmark');
  }
  test.after.always(async () => {
    builder?.close();
    await server?.close();
    await copy?.remove();
  });

  /** Lets the receiver build once, with all that is stored by then. */
  async function buildOnce(): Promise<void> {
    const before = builder.handovers;
    do {
      builder.leave();
      builder.close();
      await setTimeout(50); // each attempt starts a program
      await builder.enter();
    } while (builder.handovers === before); // the receiver has not had it yet
  }

  /** The page at a URL, as the site's host serves it. */
  async function get(url: string): Promise<{ readonly status: number; readonly html: string }> {
    const { pathname, search } = new URL(url);
    // A connection that is kept may have been closed while this process was busy.
    const response = await fetch(`${server.origin}${pathname}${search}`, {
      headers: { Connection: 'close' },
    });
    return { status: response.status, html: await response.text() };
  }

  async function succeeds(t: ExecutionContext, ...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await copy.pressmark(...args);
    t.is(code, 0, `pressmark ${args.join(' ')}\n${stdout}\n${stderr}`);
    return stdout;
  }

  /** Publishes an article. @returns its URL. */
  async function publish(t: ExecutionContext, data: PublishedData): Promise<string> {
    const envelope = { timestamp: data.published_at };
    const { status, json, text } = await receiver.post('article.published', data, { envelope });
    t.is(status, 200, `${data.id}: ${text}`);
    t.true(json.url?.startsWith(`${site.siteUrl}/`), `${data.id}: ${json.url}`);
    return json.url;
  }

  /** Updates what is at a URL with a sample's text, title and tags. */
  async function refresh(t: ExecutionContext, url: string, { data }: Sample): Promise<void> {
    const { id, revision_id } = await receiver.find(url);
    const target = { target_id: id, target_url: url, base_revision_id: revision_id };
    // The id is the draft's own.
    const { id: _, ...rest } = { ...data, published_at: UPDATED_AT };
    const answer = await receiver.post('article.updated', update(target, rest), {
      envelope: { timestamp: UPDATED_AT },
    });
    t.is(answer.status, 200, `${url}: ${answer.text}`);
  }

  /** Waits for the answer to a lookup: the receiver reads in the background where posts are. */
  async function untilLookup(t: ExecutionContext, path: string, status: number, says = /./): Promise<void> {
    let said = '';
    const isAnswered = async () => {
      const answer = await receiver.post('article.lookup', { target_url: `${site.siteUrl}${path}` });
      said = `${answer.status} ${answer.text}`;
      return answer.status === status && says.test(answer.text);
    };
    await until(`a lookup of ${path} is answered ${status} ${says}`, isAnswered).catch((error: unknown) => {
      t.log(said);
      throw error;
    });
  }

  test.serial(called('init asks nothing, and only adds to the files of the site'), async (t) => {
    await prepare();
    // What the page of the generator tells its reader to run is what happens here.
    const page = fs.readFileSync(join(ROOT, `docs/${site.folder}.md`), 'utf8');
    const [install = '', ...further] = firstCommands(page);
    t.regex(install, /^npm install \.\/vendor\/pressmark-[\d.]+\.tgz$/);
    t.deepEqual(further, ['npx pressmark init --yes', 'npx pressmark start']);
    const shown = await succeeds(t, 'init', '--yes');
    t.true(shown.includes(site.siteUrl), 'init shows the URL of the site');
    const config = copy.read('pressmark.config.mjs');
    if (site.permalink !== undefined) t.true(config.includes(`permalink: '${site.permalink}'`), config);
    t.regex(copy.secret(), /^\S{24,}$/);
    for (const name of ['.env', '.pressmark/journal', 'node_modules/pressmark'])
      t.notThrows(() => gitIn(copy.dir, 'check-ignore', '--quiet', name), `git ignores ${name}`);
    const removed = gitIn(copy.dir, 'diff', '--numstat', '--', '.', ':!package.json').matchAll(
      /^\d+\t(\d+)\t(.+)$/gm,
    );
    for (const [, lines, file] of removed) t.is(lines, '0', `${file}: init has removed a line`);
  });

  test.serial(called('articles are accepted, ordinary and hostile'), async (t) => {
    withPlugins(withCaller(copy.dir), { marks: MARKS });
    if (site.hasPictures) addImages(copy);
    await succeeds(t, 'urls'); // where posts are; a build says it, too
    const stateDir = copy.path('.git/pressmark');
    fs.mkdirSync(buildFolder(stateDir), { recursive: true });
    builder = buildLock(stateDir);
    await builder.enter();
    receiver = await copy.start();
    t.is(receiver.log.filter(({ msg }) => NOT_RUN.test(msg)).length, 1, JSON.stringify(receiver.log));
    const samples = [...ordinaryArticles(), ...hostileArticles(canary, site.every), hostileTags(canary)];
    const urls = await Promise.all(samples.map(({ data }) => publish(t, data)));
    for (const [index, sample] of samples.entries()) {
      const url = urls[index] ?? '';
      t.false(expected.has(url), `${sample.name}: the URL ${url} belongs to another article`);
      expected.set(url, sample);
    }
    const stored = () => receiver.log.find(({ msg }) => msg === 'picture stored');
    await until('the picture is stored', () => stored() !== undefined);
    picture = String(stored()?.url);
    if (site.hasPictures) {
      const { data, server } = await articleWithPictures(t);
      pictured = { url: await publish(t, data), server };
      const isStored = () => fs.readFileSync(fileWith(copy, 'A row'), 'utf8').includes('/media/');
      await until('the pictures of the article are stored', isStored);
    }
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    for (const [word, state] of Object.entries(NEVER_SHOWN)) {
      const title = word === 'quetzal' ? 'Held' : 'One more';
      const { data } = markedArticle(word, title, state === 'scheduled' ? tomorrow : undefined);
      hidden.set(await publish(t, data), { data, state });
    }
    for (const word of ['okapi', 'numbat'] as const)
      await articlesOf(receiver).setState(word, NEVER_SHOWN[word]);
  });

  test.serial(
    called('lookups find what has a page or will have one, and say why others are not found'),
    async (t) => {
      for (const [url, { data, state }] of hidden) {
        t.is(await publish(t, data), url);
        const { status } = await receiver.post('article.lookup', { target_url: url });
        t.is(status, state === 'expired' ? 404 : 200, url);
      }
      for (const [url, { data }] of expected) {
        const { id, title, content_html } = await receiver.find(url);
        t.deepEqual([id, title, content_html], [data.id, data.title, data.content_html]);
      }
      for (const [path, why] of Object.entries({ ...site.hidden, '/no/such/page/': /./ }))
        await untilLookup(t, path, 404, why);
    },
  );

  test.serial(called('an update of an edited article is refused, and its file stays as it is'), async (t) => {
    const [url = '', sample] = [...expected].find(([, { data }]) => data.id === 'ordinary-markdown') ?? [];
    if (sample === undefined) throw new Error('there is no ordinary article');
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
    t.is(fs.readFileSync(file, 'utf8'), text);
    const renewed = { ...sample, data: { ...sample.data, title: 'Ein Beet, neu angelegt' } };
    await refresh(t, url, renewed);
    expected.set(url, renewed);
    t.false(fs.readFileSync(file, 'utf8').includes('A sentence by hand.'));
  });

  test.serial(called('hostile updates are accepted, and swap Markdown and HTML'), async (t) => {
    const hostile = [...expected].filter(([, { hostileText }]) => hostileText !== undefined);
    const updates = hostile.map(async ([url, sample], index) => {
      // Half of them, of both forms; two neighbours swap their texts.
      const neighbour = hostile[index + ([0, 1, -1, 0][index % 4] ?? 0)];
      const text = neighbour?.[1].hostileText ?? '';
      if (neighbour?.[0] === url || text === '') return;
      const updated = swapped(sample, text);
      await refresh(t, url, updated);
      expected.set(url, updated);
    });
    await Promise.all(updates);
  });

  test.serial(called('an update of a post by hand is accepted'), async (t) => {
    const samples = hostileArticles(canary, site.every);
    const posts = Object.entries(site.posts);
    for (const [index, [file, path]] of posts.slice(0, site.isBuilt ? -1 : undefined).entries()) {
      const url = `${site.siteUrl}${path}`;
      const sample = samples[(7 * index) % samples.length];
      if (sample === undefined) throw new Error('there is no hostile article');
      await untilLookup(t, path, 200);
      await refresh(t, url, sample);
      refreshed.set(url, { ...sample, name: `the refreshed ${file}`, isHtmlInMarkdown: true });
    }
  });

  test.serial(
    called('the receiver builds the site, and each article and post is at its URL, as sent'),
    async (t) => {
      t.false(receiver.log.some(({ msg }) => msg === 'site built'));
      await buildOnce();
      await until('the site is built', () => receiver.log.some(({ msg }) => msg === 'site built'));
      for (const path of Object.values(site.posts)) await untilLookup(t, path, 200);
      output = filesBelow(copy.path(site.output));
      server = await serveFolder(copy.path(site.output), basePath);
      for (const [url, sample] of [...expected, ...refreshed]) {
        const { status, html } = await get(url);
        t.is(status, 200, `${sample.name}: ${url}`);
        if (status !== 200) continue;
        const page = readPage(html);
        checkPage(t, page, sample, site);
        if (refreshed.has(url)) continue;
        checkDate(t, page, sample, site);
        checkByline(t, page, sample, site);
        checkAdditions(t, html, sample, new URL(url).pathname.slice(basePath.length));
      }
      const marked = output.get('marks.txt')?.toString().trim().split('\n') ?? [];
      for (const url of expected.keys()) t.is(marked.filter((line) => line === url).length, 1, url);
      t.is((await get(picture)).status, 200, picture);
      if (pictured !== undefined)
        checkPictures(t, (await get(pictured.url)).html, {
          ...pictured,
          siteUrl: site.siteUrl,
          output: copy.path(site.output),
        });
      for (const url of hidden.keys()) t.is((await get(url)).status, 404, url);
      for (const word of Object.keys(NEVER_SHOWN))
        t.deepEqual(filesWith(copy.path(site.output), word), [], word);
    },
  );

  const { lists } = site;
  if (lists !== undefined)
    test.serial(called('every other page is as it was without Pressmark'), (t) => {
      const pathOf = (url: string) => pageOf(new URL(url).pathname.slice(basePath.length + 1));
      const own = new Set(
        [...expected.keys(), ...refreshed.keys(), pictured?.url ?? site.siteUrl].map(pathOf),
      );
      const { gone, changed, added } = difference(baseline, output);
      const isExpected = (path: string) => own.has(path) || lists.test(path) || ADDED.test(path);
      t.deepEqual(
        // A tag that no post has any longer has no page.
        gone.filter((path) => !lists.test(path)),
        [],
        'pages that are gone',
      );
      t.deepEqual(
        added.filter((path) => !isExpected(path)),
        [],
        'pages that are no article',
      );
      for (const path of changed.filter((one) => !isExpected(one)))
        t.is(
          String(output.get(path)),
          String(baseline.get(path)),
          `${path} differs from that without Pressmark`,
        );
    });

  test.serial(called('no article has run as a template'), (t) => {
    t.false(fs.existsSync(canary), 'no article has run any code');
    checkNothingPrivate(t, output, copy.secret());
    const computed = [...output].filter(([, bytes]) => bytes.includes(PRODUCT)).map(([path]) => path);
    t.deepEqual(computed, [], 'no article was computed with');
  });

  test.serial(called('doctor finds the site in good order'), async (t) => {
    t.regex(await succeeds(t, 'doctor'), site.doctorSays ?? /./);
  });

  return () => ({ copy, receiver, buildOnce });
}

/** Writes what a build has at the addresses of posts, as far as Pressmark reads it. */
function writePages(copy: WorkingCopy, { output, posts }: SiteUnderTest): void {
  for (const [file, path] of Object.entries(posts)) {
    const [, title = ''] = /^title[:=\s]+"?(.*?)"?$/m.exec(copy.read(file)) ?? [];
    const folder = copy.path(output, path);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(join(folder, 'index.html'), `<title>${title}</title>`);
  }
}

/** The generator of a site, and its version where that is tested with two. */
export function nameOf({ folder, tools }: SiteSource): string {
  return tools?.startsWith(folder) ? tools : folder;
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
