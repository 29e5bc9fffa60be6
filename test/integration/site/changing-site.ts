import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { SiteOutput } from '../../../src/host/pages/outputs.js';
import { addingTo, noAdditions } from '../../../src/host/pages/page-additions.js';
import { createBuilder } from '../../../src/site/builder/builder.js';
import type { SiteOptions } from '../../../src/site/options.js';
import { fc } from '../../support/property.js';
import { siteInfo } from '../../support/site-info.js';
import {
  builtAnew,
  endAsIfKilled,
  filesIn,
  pathOf,
  put,
  SITE_URL,
  type TestOptions,
  type TestSite,
  type TestSiteOptions,
} from './test-site.js';

/** The year of dates that are still to come, until the clock is put forward. */
const SCHEDULED = 2090;

/** Few days and tags, so that articles meet on lists and share their moments. */
const look = fc.record({
  date: fc
    .tuple(fc.constantFrom(2026, 2026, 2026, SCHEDULED), fc.integer({ min: 1, max: 12 }))
    .map(([year, day]) => `${year}-01-${String(day).padStart(2, '0')}T08:00:00Z`),
  tags: fc.subarray(['C', 'C++', 'Bees', 'bees', 'Ünï', '日本']),
  author: fc.constantFrom('', 'Ada', 'ada', 'Bo'),
  title: fc.constantFrom('One', 'Two', '', 'Long title '.repeat(50)),
  description: fc.constantFrom('', 'About this'),
  contentHtml: fc.constantFrom('<h2>A</h2><h3>B</h3><p>Short</p>', `<p>${'long '.repeat(700)}</p>`),
  updated: fc.constantFrom(null, '2026-03-01T08:00:00Z', 'soon'),
  image: fc.constantFrom(null, 'https://img.example/a.png'),
  extra: fc.constantFrom({}, {}, { layout: 'special' }, { toc: false }, { expiryDate: `${SCHEDULED}-02-01` }),
});
const slug = fc.integer({ min: 1, max: 9 }).map((n) => `a${n}`);

type Valued<T> = T extends fc.Arbitrary<infer Value> ? Value : never;

const is = <const Kind extends string>(...kinds: Kind[]) => fc.constantFrom(...kinds);

const TERM_TEXTS = [
  '---\ntitle: All of it\n---\nWords.\n',
  '---\ntitle: Most of it\n---\nOther words.\n',
  '---\ndescription: Words\nnavigation: true\n---\n',
  '---\nnavigation: Here\norder: 1\n---\nWords.\n',
];

/** What a person writes into an article's file. */
const BY_HAND = [
  '---\n---\nNo title.\n',
  `---\nurl: ${SITE_URL}/notes/1.html\ntags: [Bees]\n---\nNo title either.\n`,
  `---\nurl: ${SITE_URL}/notes/2.html\nauthor: Bo\ndate: 2026-01-05\nlayout: special\n---\nWords.\n`,
];

/** Files of the theme, and other texts for them. */
const THEME_FILES: Readonly<Record<string, readonly string[]>> = {
  'custom.css': ['p { color: red }', 'p { color: blue }'],
  'assets/mark.svg': ['<svg/>', '<svg></svg>'],
  'root/about': ['of the theme'],
  'root/favicon.ico': ['one', 'other'],
  'words/en.json': ['{"tags":"Topics"}'],
  'special.eta': [
    '<p><%= it.title %> by <%= it.authorLink(it.article?.author ?? "") %></p>',
    '<%= it.title %>',
  ],
  'partials/entries.eta': ['<% it.articles.forEach((a) => { %><%= JSON.stringify(a) %><% }) %>'],
  'article.eta': [],
};

/** Settings other than the ones of the first start. */
const SETTINGS: readonly Partial<SiteOptions>[] = [
  {},
  { site: siteInfo(SITE_URL, { language: 'de', search: true, toc: 3 }) },
  { site: siteInfo(SITE_URL, { timeZone: 'Asia/Tokyo', navigation: [{ label: 'A', href: '/about/' }] }) },
  { hosting: ['netlify', 'github-pages'], contentSecurityPolicy: false },
  { termSlug: (name) => name.toLowerCase().replace(/[^a-z]/g, '') },
];

const articles = fc.array(fc.record({ slug, look }), { minLength: 1, maxLength: 4 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ is: is('write'), articles }) },
  { weight: 4, arbitrary: fc.record({ is: is('edit', 'spoil', 'remove', 'remove page', 'touch'), slug }) },
  { weight: 3, arbitrary: fc.record({ is: is('move', 'rename', 'copy', 'readdress'), slug, to: slug }) },
  {
    weight: 2,
    arbitrary: fc.record({
      is: is('describe'),
      term: fc.constantFrom(
        ...['tags/bees', 'tags/c', 'authors/ada', 'pages/about', 'pages/articles/a1', 'pages/tags/c'],
        ...['pages/decks/Ünï x', 'pages/index', 'pages/robots.txt', 'pages/about/more'],
      ),
      text: fc.constantFrom(null, ...TERM_TEXTS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      is: is('own file'),
      file: fc.constantFrom(
        ...['sitemap.xml', 'articles/a1/index.html', 'about/index.html', 'tags/c/index.html', 'about'],
        ...['llms.txt', 'articles', 'decks/more.json', 'favicon.ico', 'assets/mark.svg', 'robots.txt/x'],
      ),
      text: fc.constantFrom(null, 'The owner’s.\n', 'Also the owner’s.\n'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ is: is('by hand'), slug, text: fc.constantFrom(...BY_HAND) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: is('theme'),
      file: fc.constantFrom(
        ...Object.entries(THEME_FILES).flatMap(([name, texts]) => [
          [name, null] as const,
          ...texts.map((text) => [name, text] as const),
        ]),
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ is: is('trash', 'restore'), slug, to: slug }) },
  { weight: 1, arbitrary: fc.record({ is: is('settings'), settings: fc.constantFrom(...SETTINGS) }) },
  { weight: 1, arbitrary: fc.record({ is: is('wait', 'plugin fails', 'output'), n: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({ is: is('template', 'config', 'restart', 'kill', 'full'), n: fc.nat(2) }),
  },
);

type Step = Valued<typeof step>;

/** The files of a plugin: for each tag its articles, made again where one of them has changed. */
const DECKS: SiteOutput = {
  path: 'decks/',
  paths: ({ articles }) => new Set([...articles].flatMap(({ tags }) => tags.map(deckOf))),
  render: (path, { articles }) => JSON.stringify(articles.tagged(tagOf(path))),
};

/** A file for each author at the top of the site, and one that may fail. */
const NOTES: SiteOutput = {
  path: '',
  paths: ({ articles }) =>
    new Set(
      [...articles].flatMap(({ author }) => (author === '' ? [] : [`by-${author}`, `by-${author}.d/all`])),
    ),
  render: (path, { articles }) => `${path} ${articles.count}`,
};
const LLMS: SiteOutput = {
  path: 'llms.txt',
  render: (_path, { articles }) => {
    if (isFailing) throw new Error('the plugin fails');
    return [...articles].map(({ id, title, extra }) => JSON.stringify([id, title, extra])).join('\n');
  },
};

/** Its filters. */
export const FILTERS: NonNullable<TestSiteOptions['filters']> = {
  test: {
    'articles.listed': (list) => list.toReversed(),
    'feed.items': (items) => items.slice(1),
    'page.html': (html, { path }) => {
      if (isFailing && path.startsWith('/tags')) throw new Error('the filter fails');
      return `${html}<!-- ${path} -->`;
    },
  },
};

/** Whether the plugin fails now. */
let isFailing = false;

/** How far the clock is put forward, in milliseconds. */
let shifted = 0;
const realNow = Date.now;
Date.now = () => realNow() + shifted;

const deckOf = (tag: string) => `decks/${Buffer.from(tag).toString('hex')}.json`;

const tagOf = (path: string) => Buffer.from(path.slice('decks/'.length, -'.json'.length), 'hex').toString();

/** What else a plugin adds: data of all articles on each page, and what stands in people's Markdown. */
const additions = noAdditions();
const adding = addingTo(additions, 'test', () => undefined);
adding.shortcode('by', ({ whom = '' }) => `<b>${whom}</b>`);
adding.helper('loud', (text: string) => text.toUpperCase());
adding.data('lengths', {
  inputs: ({ html }) => html.length,
  compute: (articles) => {
    const sums = new Map<string, number>();
    for (const { article, input } of articles)
      sums.set(article.author, (sums.get(article.author) ?? 0) + input);
    return sums;
  },
  of: ({ author }, sums) => sums.get(author),
});

/** Removes a file or folder; `force` alone does not do for a path below what is a file by now. */
function removeIfThere(path: string): void {
  if (fs.existsSync(path)) fs.rmSync(path, { recursive: true });
}

/** A site, what a person and the service do to it, and the builder that follows. */
function world(site: TestSite) {
  const { site: info, hosting, contentSecurityPolicy, termSlug } = site.options;
  const first = { site: info, hosting, contentSecurityPolicy, termSlug };
  const outputs = [DECKS, NOTES, LLMS].map((output) => ({ plugin: 'test', output }));
  let options: TestOptions = { ...site.options, pageSize: 2, additions, outputs };
  let builder = createBuilder(options);
  /** The whole texts of files that are malformed. */
  const spoiled = new Map<string, string>();
  let gone: string | undefined;
  const root = site.options.content.root;
  const at = (path: string) => join(root, path);

  /** @returns the files that changed, or that everything must be looked at. */
  function act(step: Step): string[] | 'all' | 'restart' | 'kill' | 'settings' {
    switch (step.is) {
      case 'write':
        return step.articles.map(({ slug, look }) => site.write(slug, look));
      case 'by hand':
        put(at(pathOf(step.slug)), step.text);
        return [pathOf(step.slug)];
      case 'theme': {
        const [name, text] = step.file;
        const file = join(options.templatesDir, name);
        if (text === null) fs.rmSync(file, { force: true });
        else put(file, text);
        return 'all';
      }
      case 'settings':
        options = { ...options, ...first, ...step.settings };
        return 'settings';
      case 'output': {
        const outputDir = join(site.dir, `public${step.n || ''}`);
        // What an earlier build has left there without Pressmark's mark would stay, as a person's.
        if (outputDir !== options.outputDir) fs.rmSync(outputDir, { recursive: true, force: true });
        options = { ...options, outputDir };
        return 'settings';
      }
      case 'wait':
        shifted = (step.n > 0 ? SCHEDULED + 1 - 1970 : 0) * 31_556_952_000;
        return [];
      case 'plugin fails':
        isFailing = step.n > 0;
        return 'all';
      case 'describe':
        if (step.text === null) fs.rmSync(at(`${step.term}.md`), { force: true });
        else put(at(`${step.term}.md`), step.text);
        return [`${step.term}.md`];
      case 'own file': {
        const file = join(options.staticDir, step.file);
        // A file can take the place of a folder, and the other way round.
        for (let place = file; place.length > options.staticDir.length; place = dirname(place))
          if (fs.existsSync(place) && (place === file || fs.statSync(place).isFile())) removeIfThere(place);
        if (step.text !== null) put(file, step.text);
        return 'all';
      }
      case 'template':
        put(
          join(options.templatesDir, 'article.eta'),
          `<% layout('./layout') %>${step.n} <%= it.title %> <%~ it.article.html %>
<%= it.helpers.loud(it.title) %> <%~ JSON.stringify([it.extra, it.article.toc, it.article.previous, it.article.next, it.article.related, it.article.tags.map(it.tagLink)]) %>`,
        );
        return 'all';
      case 'config':
        options = { ...options, pageSize: 2 + step.n, site: { ...options.site, title: `Site ${step.n}` } };
        return 'settings';
      case 'restart':
        return step.is;
      case 'kill':
        gone = at(pathOf(`a${step.n + 1}`));
        return step.is;
      case 'full':
        return 'all';
    }
    const path = pathOf(step.slug);
    const trashed = { id: step.slug, at: '2026-01-01T00:00:00Z' };
    if (step.is === 'restore') {
      noteTrash({ ...trashed, dropped: true });
      return [path];
    }
    if (!fs.existsSync(at(path))) return [];
    switch (step.is) {
      case 'edit':
        fs.appendFileSync(at(path), '\nAdded *by [[by whom="hand"]]*.\n');
        return [path];
      case 'trash':
        noteTrash({
          ...trashed,
          ...{ url: `${SITE_URL}/articles/${step.slug}/`, path, title: '', by: 'Ada' },
          redirect: step.to === step.slug ? null : `${SITE_URL}/articles/${step.to}/`,
        });
        fs.rmSync(at(path));
        return [path];
      case 'remove':
        fs.rmSync(at(path));
        return [path];
      case 'touch':
        fs.copyFileSync(at(path), at(`${path}.new`));
        fs.renameSync(at(`${path}.new`), at(path));
        return [path];
      case 'remove page':
        removeIfThere(join(options.outputDir, 'articles', step.slug, 'index.html'));
        return 'all';
      case 'spoil': {
        const whole = fs.readFileSync(at(path), 'utf8');
        // Half of a half is not what is to be put right again.
        if (!spoiled.has(path)) spoiled.set(path, whole);
        fs.writeFileSync(at(path), whole.slice(0, whole.length / 2));
        return [path];
      }
      case 'move': {
        const to = `articles/elsewhere/${step.to}.md`;
        fs.mkdirSync(at('articles/elsewhere'), { recursive: true });
        fs.renameSync(at(path), at(to));
        return [path, carried(path, to)];
      }
      case 'rename':
        fs.renameSync(at(path), at(pathOf(step.to)));
        return [path, carried(path, pathOf(step.to))];
      case 'copy':
        fs.copyFileSync(at(path), at(`articles/${step.to}-copy.md`));
        return [carried(path, `articles/${step.to}-copy.md`)];
      case 'readdress':
        fs.writeFileSync(
          at(path),
          fs.readFileSync(at(path), 'utf8').replace(/^url: .*$/m, `url: "${SITE_URL}/notes/${step.to}.html"`),
        );
        return [path];
      default:
        return [];
    }
  }

  /** Adds a line to the file of the trash. */
  function noteTrash(line: object): void {
    const file = join(options.stateDir, 'trash/articles.jsonl');
    fs.mkdirSync(dirname(file), { recursive: true });
    fs.appendFileSync(file, `${JSON.stringify(line)}\n`);
  }

  /** Notes that a file, malformed or not, now stands at another path too. */
  function carried(path: string, to: string): string {
    const whole = spoiled.get(path);
    if (whole === undefined) spoiled.delete(to);
    else spoiled.set(to, whole);
    return to;
  }

  /** Acts, if `files` is a number while everything is built and so many files are made. @returns as `act`. */
  async function actAt(step: Step, files: number | null): Promise<ReturnType<typeof act>> {
    let what: ReturnType<typeof act> | undefined;
    const onProgress = (done: number) => {
      if (done !== files) return;
      what = act(step);
      if (Array.isArray(what)) builder.first(what);
    };
    if (files !== null) await builder.build('all', { onProgress });
    return what ?? act(step);
  }

  /** Has the builder follow. */
  async function follow(what: ReturnType<typeof act>): Promise<void> {
    if (what === 'kill') {
      await endAsIfKilled(options.stateDir, builder);
      // A person removes an article before the next start.
      if (gone !== undefined) fs.rmSync(gone, { force: true });
    } else if (what === 'restart' || what === 'settings') await builder.close();
    if (what === 'kill' || what === 'restart' || what === 'settings') builder = createBuilder(options);
    await builder.build(Array.isArray(what) ? what : 'all');
  }

  /** Puts malformed files right: what was built of them before is not what a clean build makes. */
  function mend(): string[] | 'all' {
    const paths = [...spoiled].map(([path, whole]) => {
      if (fs.existsSync(at(path))) fs.writeFileSync(at(path), whole);
      return path;
    });
    spoiled.clear();
    const wasFailing = isFailing;
    isFailing = false;
    return wasFailing ? 'all' : paths;
  }

  return {
    actAt,
    follow,
    mend,
    built: () => filesIn(options.outputDir),
    clean: () => builtAnew(options),
    close: () => builder.close(),
  };
}

/** A few changes, one after the other, some of them in the middle of a build. */
export const sequence = fc.array(fc.tuple(step, fc.option(fc.nat(60), { freq: 2 })), {
  minLength: 3,
  maxLength: 10,
});

/**
 * Builds a new site after each change.
 *
 * @returns the files that the builder left at the end, and those of a clean build of the same content.
 */
export async function buildEach(
  site: TestSite,
  steps: Valued<typeof sequence>,
): Promise<{ readonly built: Record<string, string>; readonly clean: Record<string, string> }> {
  shifted = 0;
  isFailing = false;
  const { actAt, follow, mend, built, clean, close } = world(site);
  await follow('all');
  for (const [step, files] of steps) {
    await follow(await actAt(step, files));
    if (built()['index.html'] === undefined) throw new Error(`no home page after ${step.is}`);
  }
  await follow(mend());
  const files = { built: built(), clean: await clean() };
  await close();
  fs.rmSync(site.dir, { recursive: true, force: true });
  return files;
}
