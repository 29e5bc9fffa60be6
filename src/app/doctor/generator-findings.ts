import fs from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ownOf, ownPath } from '../../article/format/site-keys.js';
import { readFrontMatter } from '../../article/front-matter/read.js';
import { termKey } from '../../article/names.js';
import type { Settings } from '../../config/load.js';
import { messageOf } from '../../errors.js';
import { readText } from '../../fs/read-text.js';
import { GENERATORS, type Recognised, recogniseGenerators } from '../../generators/registry.js';
import { ADDRESSES } from '../../store/catalog/addresses.js';
import { readArticleSync } from '../../store/catalog/content-folder.js';
import { type Entry, entryState } from '../../store/catalog/entry.js';
import { movedArticles } from '../articles/stored-urls.js';
import { type AddressFile, readAddressFile, type UnlistedReason } from '../build/addresses/address-file.js';
import { completeSite, missingSentence } from '../build/postbuild.js';
import { contentOf, generatorOf, type SiteGenerator } from '../content/content.js';
import { contentPrefix, foldersOf } from '../content/folders.js';
import { siteFiles } from '../content/site-files.js';
import { addPostbuild } from '../init/npm-postbuild.js';
import { notedFacts } from '../status.js';
import { type Finding, fail, listed, ok, warn } from './finding.js';

/**
 * What keeps articles from being shown, or posts from being found, on a site of another generator. @throws the refusals of the
 * start.
 */
export async function generatorFindings(settings: Settings, unsorted: readonly Entry[]): Promise<Finding[]> {
  const site = generatorOf(settings);
  if (site === undefined) return unsetGenerator(settings);
  const entries = unsorted.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const addresses = readAddressFile(join(foldersOf(settings).stateDir, ADDRESSES));
  const findings = [
    ...definitionFindings(settings, site),
    ...postbuildScript(settings, site),
    ...addressFindings(entries, addresses),
    ...movedFindings(settings),
    ...switchFindings(settings, entries, site),
    ...authorFindings(settings, entries, site),
    ...(await pageFindings(settings, entries)),
  ];
  const isFine = findings.every(({ level }) => level === 'ok');
  return isFine ? [ok('generator', `${site.generator.name} builds the site`), ...findings] : findings;
}

/** A generator that the site has, but the config does not name. */
function unsetGenerator({ dir }: Settings): Finding[] {
  const [recognised] = recogniseGenerators(siteFiles(dir), GENERATORS);
  return recognised === undefined ? [] : [otherGenerator(recognised, 'Pressmark builds it')];
}

function otherGenerator({ generator, evidence }: Recognised, but: string): Finding {
  const text = `this is a site of ${generator.name} (${evidence}), but ${but}`;
  const fix = `set generator: '${generator.name}' in the config; or move the config away and run pressmark init`;
  return warn('generator', text, fix);
}

function definitionFindings(settings: Settings, { generator, files }: SiteGenerator): Finding[] {
  const recognised = recogniseGenerators(files, GENERATORS);
  const [other] = recognised;
  const isOther =
    generator.recognise(files) === undefined &&
    recognised.every((one) => one.generator.name !== generator.name);
  const problems = generator.problems?.(files, settings.content) ?? [];
  return [
    ...(isOther && other !== undefined ? [otherGenerator(other, `the config says ${generator.name}`)] : []),
    ...problems.map(({ level, text, fix }): Finding => ({ level, about: 'generator', text, fix })),
  ];
}

/** Whether the step after the build runs if the site's host runs the npm script. */
function postbuildScript(settings: Settings, { files }: SiteGenerator): Finding[] {
  const step = addPostbuild(files, settings.output);
  if (step.kind === 'nothing') return [];
  return [
    warn(
      'generator',
      'npm run build does not complete the pages of articles: the step pressmark postbuild is not in package.json',
      step.kind === 'add' ? 'run pressmark init, which adds it' : step.advice,
    ),
  ];
}

/** Files whose URL is uncertain, by reason. */
function addressFindings(entries: readonly Entry[], addresses: AddressFile | undefined): Finding[] {
  const about = 'addresses';
  // New articles are refused if they would not be at the answered URL.
  const [text = '', fix = ''] = addresses?.contradiction?.split('; ') ?? [];
  const contradiction = text === '' ? [] : [fail(about, `new articles are refused: ${text}`, fix)];
  const delivered = entries.filter(isDelivered);
  const now = Date.now();
  const scheduled = delivered.filter((entry) => entryState(entry, now) === 'scheduled');
  const toCome = `no page yet, as the article has a date in the future: ${listed(scheduled.map(({ path }) => path))}`;
  const unlisted = addresses?.unlisted ?? [];
  return [
    ...contradiction,
    ...(scheduled.length === 0 ? [] : [ok(about, toCome)]),
    ...[...byReason(delivered)].map(([reason, paths]) => articleFinding(reason, listed(paths))),
    ...[...byReason(entries.filter((entry) => !isDelivered(entry)))].flatMap(([reason, paths]) =>
      postFindings(reason, paths, unlisted),
    ),
  ];
}

/** Whether the service sent an article. The id of a post by a person is its path. */
function isDelivered({ id, path }: Entry): boolean {
  return id !== path;
}

const IS_DRAFT = /^is a draft/;
const IS_FUTURE = /^has a date in the future/;

/** The status names these articles already. */
const IS_ELSEWHERE = /^was answered with a URL that is not below/;

/** The paths of files with an unknown address, by reason. */
function byReason(entries: readonly Entry[]): Map<string, string[]> {
  const reasons = new Map<string, string[]>();
  for (const { path, address, broken } of entries)
    if (address?.kind === 'unknown' && broken === undefined && !IS_ELSEWHERE.test(address.reason))
      reasons.set(address.reason, [...(reasons.get(address.reason) ?? []), path]);
  return reasons;
}

/** The finding about an article without a page: its URL was answered to the service, so this is a failure. */
function articleFinding(reason: string, paths: string): Finding {
  const about = 'addresses';
  if (IS_DRAFT.test(reason))
    return warn(
      about,
      `an article ${reason}, so that there is no page at the URL that was answered: ${paths}`,
      'remove the draft mark from the front matter to publish it',
    );
  return fail(
    about,
    `an article ${reason}; there may be no page at the URL that was answered: ${paths}`,
    'put the address back into the front matter (or the file’s name), as git log shows it; or run pressmark urls, which asks the generator where its page is',
  );
}

/** The fix for a post without a known address, by reason. */
const FIXES: Readonly<Record<Exclude<UnlistedReason, 'no page'>, string>> = {
  'several pages': 'give each post a title of its own, or set the address in the front matter',
  'symbolic link': 'put the files themselves in the place of the link',
  'front matter not supported': 'write it in plain YAML, TOML or JSON',
};

function postFindings(
  reason: string,
  paths: readonly string[],
  unlisted: AddressFile['unlisted'],
): Finding[] {
  const about = 'addresses';
  if (IS_DRAFT.test(reason) || IS_FUTURE.test(reason))
    return [ok(about, `no page yet, as the post ${reason}: ${listed(paths)}`)];
  const findings = Object.entries(FIXES).flatMap(([why, fix]) => {
    const posts = unlisted.filter((one) => one.reason === why && paths.includes(one.path));
    if (posts.length === 0) return [];
    const text = `lookups do not find these posts (${why}): ${listed(posts.map(({ path }) => path))}`;
    return [warn(about, text, fix)];
  });
  const others = paths.filter((path) => unlisted.every((one) => one.path !== path));
  if (others.length === 0) return findings;
  const text = `lookups do not find these posts, as each ${reason}: ${listed(others)}`;
  return [...findings, warn(about, text, 'run pressmark urls, which asks the generator')];
}

/** Articles that are no longer at the URL that the service knows. */
function movedFindings(settings: Settings): Finding[] {
  const byFix = new Map<string, string[]>();
  for (const { text, fix } of movedArticles(settings)) byFix.set(fix, [...(byFix.get(fix) ?? []), text]);
  return [...byFix].map(([fix, sentences]) => warn('addresses', listed(sentences, '; '), fix));
}

/** The beginning of a template in most languages. Jekyll's escapes are removed before, as they need no switch. */
const TEMPLATE = /[{<][{%#]/;
const ESCAPES = /\{\{ "\{[{%]" \}\}/g;

/** Files whose text runs as a template, because somebody has removed or changed the key that prevents it. */
function switchFindings(
  settings: Settings,
  entries: readonly Entry[],
  { mapping }: SiteGenerator,
): Finding[] {
  const { contentDir } = foldersOf(settings);
  const byKey = new Map<string, string[]>();
  for (const { path, broken } of entries) {
    if (broken !== undefined) continue;
    const { data, body } = readFrontMatter(readText(resolve(contentDir, path)).text);
    if (ownOf(data, ownPath(mapping)).id === undefined || !TEMPLATE.test(body.replace(ESCAPES, ''))) continue;
    const asHtml = mapping.body({ kind: 'html', html: '' }, path).frontMatter;
    const asMarkdown = mapping.body({ kind: 'markdown', markdown: '', html: '' }, path).frontMatter;
    for (const [key, value] of Object.entries(asHtml)) {
      // The end of an excerpt depends on the text, and runs nothing.
      if (key === 'excerpt_separator' || [value, asMarkdown[key]].includes(undefined)) continue;
      if (![value, asMarkdown[key]].some((one) => isDeepStrictEqual(data[key], one)))
        byKey.set(key, [...(byKey.get(key) ?? []), path]);
    }
  }
  return [...byKey].map(([key, paths]) =>
    fail(
      'templates',
      `the key ${key} is missing or changed, so that what the service has sent runs as a template: ${listed(paths)}`,
      `put ${key} back into the front matter, as git log shows it`,
    ),
  );
}

/** Authors that the site does not know, so that articles show only their names. */
function authorFindings(
  settings: Settings,
  entries: readonly Entry[],
  { mapping }: SiteGenerator,
): Finding[] {
  const { authors, knownAuthorsOnly = false, keys } = mapping;
  if ((authors === undefined && !knownAuthorsOnly) || keys.author == null) return [];
  const content = contentOf(settings);
  const known = new Set(Object.keys(authors ?? {}).map(termKey));
  const unknown = new Map<string, string>();
  for (const entry of entries) {
    if (entry.broken !== undefined || !isDelivered(entry)) continue;
    const { author } = readArticleSync(content, entry.path).stored.article;
    if (author !== '' && !known.has(termKey(author)) && !unknown.has(author)) unknown.set(author, entry.path);
  }
  if (unknown.size === 0) return [];
  const each = [...unknown].map(([author, path]) => `${JSON.stringify(author)} in ${path}`);
  const shown = knownAuthorsOnly ? 'does not show their names' : 'shows nothing but the name';
  return [
    warn(
      'authors',
      `the site does not know these authors, and ${shown}: ${listed(each)}`,
      'add them to the site’s list of authors, and name and key to generator.authors in the config',
    ),
  ];
}

/** The articles' pages in the last build. */
async function pageFindings(settings: Settings, entries: readonly Entry[]): Promise<Finding[]> {
  const about = 'pages';
  const { output } = settings;
  if (!fs.existsSync(resolve(settings.dir, output))) return [];
  try {
    const excluded = notBuilt(settings, entries);
    const report = await completeSite(settings, output, { readOnly: true, excluded });
    const { missing, changed, checked, warnings } = report;
    const findings = warnings.map((text) => warn(about, text, 'correct it and run pressmark build'));
    const fix =
      'run pressmark build; where the site’s host builds, its command must end in pressmark postbuild';
    if (missing.length > 0) findings.push(warn(about, listed(missing.map(missingSentence), '; '), fix));
    if (changed > 0) {
      const text = `${changed} of ${checked} pages in ${output} lack the JSON-LD or the item comment of their article`;
      findings.push(warn(about, text, fix));
    }
    if (findings.length > 0 || checked === 0) return findings;
    return [ok(about, `${checked}, each at its URL, with JSON-LD and item comment`)];
  } catch (error) {
    return [warn(about, `${output} cannot be read: ${messageOf(error)}`, 'run pressmark build')];
  }
}

/** Articles that other findings name already: excluded and malformed ones. */
function notBuilt(settings: Settings, entries: readonly Entry[]): ReadonlySet<string> {
  const excluded = new Set(notedFacts(settings).excluded.map(({ path }) => path));
  const paths = entries.filter(
    (entry) => entry.broken !== undefined || excluded.has(`${contentPrefix(settings)}${entry.path}`),
  );
  return new Set(paths.map(({ path }) => path));
}
