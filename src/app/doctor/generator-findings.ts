import fs from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readFrontMatter } from '../../article/front-matter/read.js';
import { termKey } from '../../article/names.js';
import type { Settings } from '../../config/load.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { type AddressFile, readAddressFile } from '../../deploy/addresses/address-file.js';
import { messageOf } from '../../errors.js';
import { entriesBelow } from '../../fs/files-below.js';
import { readText } from '../../fs/read-text.js';
import { recogniseGenerators } from '../../generators/registry.js';
import { ADDRESSES } from '../../store/catalog/addresses.js';
import { createCatalog } from '../../store/catalog/catalog.js';
import { type ContentFolder, readArticleSync } from '../../store/catalog/content-folder.js';
import { type Entry, entryState } from '../../store/catalog/entry.js';
import { scan } from '../../store/catalog/scan.js';
import { movedArticles, movedFix, movedSentence } from '../articles/moved-articles.js';
import { completeSite, missingSentence } from '../build/postbuild.js';
import { contentOf, generatorOf, type SiteGenerator } from '../content/content.js';
import { contentPrefix, foldersOf } from '../content/folders.js';
import { siteFiles } from '../content/site-files.js';
import { addPostbuild } from '../init/npm-postbuild.js';
import { notedFacts } from '../status.js';
import { type Finding, listed } from './finding.js';
import { unlistedPosts } from './unlisted-posts.js';

/** What keeps articles from being displayed, or lookups from finding posts, where another generator builds the site. @throws what the start refuses. */
export async function generatorFindings(settings: Settings): Promise<Finding[]> {
  const about = 'generator';
  const site = generatorOf(settings);
  const [recognised] = recogniseGenerators(siteFiles(settings.dir));
  if (site === undefined)
    return recognised === undefined
      ? []
      : [
          {
            level: 'warn',
            about,
            text: `this is a site of ${recognised.generator.name} (${recognised.evidence}), but Pressmark builds it`,
            fix: `set generator: '${recognised.generator.name}' in the config; or move the config away and run pressmark init`,
          },
        ];
  const { contentDir, stateDir } = foldersOf(settings);
  const catalog = createCatalog();
  const content = contentOf(settings);
  if (fs.existsSync(contentDir)) await scan(content, catalog);
  const entries = [...catalog.entries()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const addresses = readAddressFile(join(stateDir, ADDRESSES));
  const findings = [
    ...definitionFindings(settings, site),
    ...postbuildScript(settings, site),
    ...contradiction(addresses),
    ...addressFindings(entries, addresses?.unlisted ?? []),
    ...movedFindings(settings),
    ...clashes(entries),
    ...switchFindings(entries, site, contentDir),
    ...tagFindings(entries, site),
    ...authorFindings(entries, site, content),
    ...unresolved(entries, contentDir),
    ...(await pageFindings(settings, entries)),
  ];
  const isFine = findings.every(({ level }) => level === 'ok');
  return isFine
    ? [{ level: 'ok', about, text: `${site.generator.name} builds the site` }, ...findings]
    : findings;
}

function definitionFindings(settings: Settings, { generator, files, options }: SiteGenerator): Finding[] {
  const about = 'generator';
  const recognised = recogniseGenerators(files);
  const isOther =
    recognised.length > 0 && generator.recognise(files) === undefined
      ? recognised.every((one) => one.generator.name !== generator.name)
      : false;
  const other = recognised[0];
  return [
    ...(isOther && other !== undefined
      ? [
          {
            level: 'warn' as const,
            about,
            text: `the config says ${generator.name}, but this is a site of ${other.generator.name} (${other.evidence})`,
            fix: `set generator: '${other.generator.name}' in the config`,
          },
        ]
      : []),
    ...generator
      .problems(files, { ...settings, options })
      .map(({ level, text, fix }): Finding => ({ level, about, text, fix })),
  ];
}

/** Whether the pages are completed where the site's host runs npm's build. */
function postbuildScript(settings: Settings, { files }: SiteGenerator): Finding[] {
  const step = addPostbuild(files, settings.output);
  if (step.kind === 'nothing') return [];
  return [
    {
      level: 'warn',
      about: 'generator',
      text: 'npm run build does not complete the pages of articles: the step pressmark postbuild is not in package.json',
      fix: step.kind === 'add' ? 'run pressmark init, which adds it' : step.advice,
    },
  ];
}

/** New articles are refused where they would not be at the URL that is answered. */
function contradiction(addresses: AddressFile | undefined): Finding[] {
  if (addresses?.contradiction === undefined) return [];
  const [text = '', fix = ''] = addresses.contradiction.split('; ');
  return [{ level: 'fail', about: 'addresses', text: `new articles are refused: ${text}`, fix }];
}

/** Files whose URL is not certain, by the reason. */
function addressFindings(entries: readonly Entry[], unlisted: AddressFile['unlisted']): Finding[] {
  const uncertain = entries.filter(
    ({ address, broken }) => address?.kind === 'unknown' && broken === undefined,
  );
  const articles = uncertain.filter(isDelivered);
  const posts = uncertain.filter((entry) => !isDelivered(entry));
  const now = Date.now();
  const scheduled = entries.filter((entry) => entryState(entry, now) === 'scheduled');
  return [
    ...scheduledFindings(scheduled.filter(isDelivered)),
    ...byReason(articles).map(([reason, paths]) => articleFinding(reason, paths)),
    ...byReason(posts).flatMap(([reason, paths]) => postFindings(reason, paths, unlisted)),
  ];
}

/** Articles of which the service knows a URL that is not theirs any more. */
function movedFindings(settings: Settings): Finding[] {
  const byFix = new Map<string, string[]>();
  for (const article of movedArticles(settings)) {
    const fix = movedFix(article, settings.siteUrl);
    byFix.set(fix, [...(byFix.get(fix) ?? []), movedSentence(article)]);
  }
  return [...byFix].map(([fix, sentences]) => ({
    level: 'warn',
    about: 'addresses',
    text: listed(sentences, '; '),
    fix,
  }));
}

/** Whether the service has sent an article; a post that a person wrote has its path for an id. */
function isDelivered({ id, path }: Entry): boolean {
  return id !== path;
}

function scheduledFindings(entries: readonly Entry[]): Finding[] {
  if (entries.length === 0) return [];
  const text = `no page yet, as the article has a date in the future: ${listed(entries.map(({ path }) => path))}`;
  return [{ level: 'ok', about: 'addresses', text }];
}

function byReason(entries: readonly Entry[]): [reason: string, paths: string[]][] {
  const reasons = new Map<string, string[]>();
  for (const { path, address } of entries)
    if (address?.kind === 'unknown')
      reasons.set(address.reason, [...(reasons.get(address.reason) ?? []), path]);
  return [...reasons];
}

const IS_DRAFT = /^is a draft/;
const IS_ELSEWHERE = /^was answered with a URL that is not below/;
const IS_FUTURE = /^has a date in the future/;

/** An article has been answered with its URL: where there is no page, the answer is not true. */
function articleFinding(reason: string, paths: readonly string[]): Finding {
  const about = 'addresses';
  const text = `an article ${reason}, so that there is no page at the URL that was answered: ${listed(paths)}`;
  if (IS_DRAFT.test(reason))
    return { level: 'warn', about, text, fix: 'remove the draft mark from the front matter to publish it' };
  if (IS_ELSEWHERE.test(reason))
    return {
      level: 'fail',
      about,
      text: `an article ${reason}: ${listed(paths)}`,
      fix: 'set siteUrl in the config back, if it is wrong; if the site has moved, run pressmark build, and redirect the old URLs to the new ones on the old host',
    };
  return {
    level: 'fail',
    about,
    text: `an article ${reason}; there may be no page at the URL that was answered: ${listed(paths)}`,
    fix: 'put the address back into the front matter (or the file’s name), as git log shows it; or run pressmark urls, which asks the generator where its page is',
  };
}

function postFindings(
  reason: string,
  paths: readonly string[],
  unlisted: AddressFile['unlisted'],
): readonly Finding[] {
  const about = 'addresses';
  if (IS_DRAFT.test(reason) || IS_FUTURE.test(reason))
    return [{ level: 'ok', about, text: `no page yet, as the post ${reason}: ${listed(paths)}` }];
  const { shown, others } = unlistedPosts(paths, unlisted);
  if (others.length === 0) return shown;
  const text = `lookups do not find these posts, as each ${reason}: ${listed(others)}`;
  const fix = 'run pressmark urls, which asks the generator';
  return [...shown, { level: 'warn', about, text, fix }];
}

/** Posts of unknown address whose guessed address is that of an article. */
function clashes(entries: readonly Entry[]): Finding[] {
  const certain = new Map(
    entries.flatMap(({ url, path, address }) => {
      const canonical = canonicalUrl(url);
      return canonical === undefined || address?.kind === 'unknown' ? [] : [[canonical, path] as const];
    }),
  );
  return entries.flatMap(({ path, url, address }): Finding[] => {
    const canonical = canonicalUrl(url);
    const other = canonical === undefined ? undefined : certain.get(canonical);
    if (address?.kind !== 'unknown' || other === undefined) return [];
    return [
      {
        level: 'warn',
        about: 'addresses',
        text: `${path} and ${other} may have the same address ${canonical}; one of the two pages would be lost`,
        fix: 'run pressmark urls; if the address is the same, rename the post that you wrote or give it another slug',
      },
    ];
  });
}

/** What begins a template in most languages, once Jekyll's escapes are gone, which need no switch. */
const TEMPLATE = /[{<][{%#]/;
const ESCAPES = /\{\{ "\{[{%]" \}\}/g;

/** Files whose text from the service runs as a template, as somebody has removed or changed the key that prevents it. */
function switchFindings(
  entries: readonly Entry[],
  { mapping }: SiteGenerator,
  contentDir: string,
): Finding[] {
  const byKey = new Map<string, string[]>();
  for (const { path, broken } of entries) {
    if (broken !== undefined) continue;
    const { data, body } = readFrontMatter(readText(resolve(contentDir, path)).text);
    if (data.pressmark === undefined || !TEMPLATE.test(body.replace(ESCAPES, ''))) continue;
    const asHtml = mapping.body({ kind: 'html', html: '' }, path).frontMatter;
    const asMarkdown = mapping.body({ kind: 'markdown', markdown: '', html: '' }, path).frontMatter;
    for (const [key, value] of Object.entries(asHtml)) {
      // Where an excerpt ends depends on the text, and runs nothing.
      if (key === 'excerpt_separator' || [value, asMarkdown[key]].includes(undefined)) continue;
      if (![value, asMarkdown[key]].some((one) => isDeepStrictEqual(data[key], one)))
        byKey.set(key, [...(byKey.get(key) ?? []), path]);
    }
  }
  return [...byKey].map(([key, paths]) => ({
    level: 'fail',
    about: 'templates',
    text: `the key ${key} is missing or changed, so that what the service has sent runs as a template: ${listed(paths)}`,
    fix: `put ${key} back into the front matter, as git log shows it`,
  }));
}

/** Tags of which the generator makes one page, or none. */
function tagFindings(entries: readonly Entry[], { mapping }: SiteGenerator): Finding[] {
  if (mapping.keys.tags === null) return [];
  const spellings = new Map<string, Map<string, string>>();
  for (const { tags = [], path } of entries)
    for (const tag of tags) {
      const key = mapping.tagKey(tag);
      if (key === '') continue; // it has no page
      const known = spellings.get(key) ?? new Map<string, string>();
      if (!known.has(tag)) known.set(tag, path);
      spellings.set(key, known);
    }
  return [...spellings.values()]
    .filter((known) => known.size > 1)
    .map((known): Finding => {
      const each = [...known].map(([tag, path]) => `${JSON.stringify(tag)} in ${path}`);
      return {
        level: 'warn',
        about: 'tags',
        text: `the generator takes these tags for one: ${listed(each)}`,
        fix: 'use one spelling in all posts, and rename a tag that is another one; some generators fail where two tags have one page',
      };
    });
}

/** Authors of articles whom the site does not know, so that their articles show a name and nothing else of them. */
function authorFindings(
  entries: readonly Entry[],
  { mapping }: SiteGenerator,
  content: ContentFolder,
): Finding[] {
  const { authors, knownAuthorsOnly = false, keys } = mapping;
  if ((authors === undefined && !knownAuthorsOnly) || keys.author == null) return [];
  const known = new Set(Object.keys(authors ?? {}).map(termKey));
  const unknown = new Map<string, string>();
  for (const entry of entries) {
    if (entry.broken !== undefined || !isDelivered(entry)) continue;
    const { author } = readArticleSync(content, entry.path).stored.article;
    if (author !== '' && !known.has(termKey(author)) && !unknown.has(author)) unknown.set(author, entry.path);
  }
  if (unknown.size === 0) return [];
  const each = [...unknown].map(([author, path]) => `${JSON.stringify(author)} in ${path}`);
  return [
    {
      level: 'warn',
      about: 'authors',
      text: `the site does not know these authors, and ${knownAuthorsOnly ? 'does not show their names' : 'shows nothing but the name'}: ${listed(each)}`,
      fix: 'add them to the site’s list of authors, and name and key to generator.authors in the config',
    },
  ];
}

/** Files that are posts to the generator and that Pressmark does not read. */
function unresolved(entries: readonly Entry[], contentDir: string): Finding[] {
  const about = 'articles';
  const unsupported = entries.filter(({ isUnsupported }) => isUnsupported).map(({ path }) => path);
  const mdx = [...entriesBelow(contentDir).keys()].filter(
    (path) => path.endsWith('.mdx') && !path.includes('node_modules'),
  );
  const paths = [...new Set([...unsupported, ...mdx])];
  if (paths.length === 0) return [];
  return [
    {
      level: 'ok',
      about,
      text: `not resolved, as their form holds code or is not read (.mdx, ---js): ${listed(paths)}`,
    },
  ];
}

/** What the last build has made of the articles. */
async function pageFindings(settings: Settings, entries: readonly Entry[]): Promise<Finding[]> {
  const about = 'pages';
  if (!fs.existsSync(resolve(settings.dir, settings.output))) return [];
  try {
    const { missing, changed, checked, warnings } = await completeSite(settings, settings.output, {
      readOnly: true,
      excluded: notBuilt(settings, entries),
    });
    const fix =
      'run pressmark build; where the site’s host builds, its command must end in pressmark postbuild';
    const findings: Finding[] = warnings.map((text) => ({
      level: 'warn',
      about,
      text,
      fix: 'correct it and run pressmark build',
    }));
    if (missing.length > 0)
      findings.push({ level: 'warn', about, text: listed(missing.map(missingSentence), '; '), fix });
    if (changed > 0)
      findings.push({
        level: 'warn',
        about,
        text: `${changed} of ${checked} pages in ${settings.output} lack the JSON-LD or the item comment of their article`,
        fix,
      });
    if (findings.length === 0 && checked > 0)
      findings.push({
        level: 'ok',
        about,
        text: `${checked}, each at its URL, with JSON-LD and item comment`,
      });
    return findings;
  } catch (error) {
    const text = `${settings.output} cannot be read: ${messageOf(error)}`;
    return [{ level: 'warn', about, text, fix: 'run pressmark build' }];
  }
}

/** Articles of which other findings say that the site does not show their text: those that are excluded or malformed. */
function notBuilt(settings: Settings, entries: readonly Entry[]): ReadonlySet<string> {
  const excluded = new Set(notedFacts(settings).excluded.map(({ path }) => path));
  const paths = entries.filter(
    (entry) => entry.broken !== undefined || excluded.has(`${contentPrefix(settings)}${entry.path}`),
  );
  return new Set(paths.map(({ path }) => path));
}
