import fs from 'node:fs';
import { join, resolve } from 'node:path';
import { OWN_KEY } from '../../article/format/site-keys.js';
import { readFrontMatter, reasonOf } from '../../article/front-matter/read.js';
import { stateAt } from '../../article/publication.js';
import { loadSettings, type Settings } from '../../config/load.js';
import { itemComments } from '../../contract/item-comment.js';
import { type BuiltArticle, type PostbuildReport, postbuild } from '../../deploy/build/postbuild.js';
import { messageOf, PressmarkError } from '../../errors.js';
import type { SiteInfo } from '../../host/pages/page-types.js';
import { redirectPagesOf } from '../../site/outputs/redirect-pages.js';
import { copyAssets } from '../../store/assets.js';
import { textOrNothing } from '../../store/catalog/content-folder.js';
import { walk } from '../../store/catalog/scan.js';
import { contentOf, generatorOf, staticFolderOf } from '../content/content.js';
import { foldersOf } from '../content/folders.js';
import { infoOfSite, openPagePlugins, put } from './page-plugins.js';

/** Set in the environment of the build command that Pressmark runs. */
export const BUILD_VARIABLE = 'PRESSMARK_BUILD';

/** Whether this process is part of a build that Pressmark runs. Such a build checks and completes the pages itself. */
export function isWithinBuild({ environment }: Pick<Settings, 'environment'>): boolean {
  return environment[BUILD_VARIABLE] !== undefined;
}

/** The findings of the step after the build, in sentences. */
export interface PostbuildSummary {
  /** One sentence for each missing or incomplete page; empty within a build that Pressmark runs, which checks again. */
  readonly missing: readonly string[];
  readonly warnings: readonly string[];
  /** The number of pages that were written. */
  readonly changed: number;
}

/**
 * The step after the build, for generators that run it themselves: checks and completes the pages of all articles.
 *
 * @param dir the site's folder.
 * @param output the output folder; a relative one is below `dir`.
 */
export async function runPostbuild(dir: string, output: string): Promise<PostbuildSummary> {
  const settings = await loadSettings(resolve(dir));
  const { missing, warnings, changed } = await completeSite(settings, output);
  return { missing: isWithinBuild(settings) ? [] : missing.map(missingSentence), warnings, changed };
}

/** The sentence about a missing or incomplete page. */
export function missingSentence({ file, url, reason }: PostbuildReport['missing'][number]): string {
  return `${url} (${file}): ${reason}`;
}

/** Options of `completeSite`. */
export interface CompleteOptions {
  /** Writes nothing; `changed` counts the incomplete pages. @default false */
  readonly readOnly?: boolean;
  /** The folder that the output was built from, if it is a copy. @default the site's folder */
  readonly siteDir?: string;
  /** Articles that the output was built without, by their paths below the content folder. */
  readonly excluded?: ReadonlySet<string>;
  readonly signal?: AbortSignal;
}

/**
 * Checks and completes the pages of all stored articles, within the time limit of a build. Unless a build of Pressmark does it
 * later, plugins also change these pages and add their files, and missing assets and redirect pages are added.
 *
 * @param output the output folder; a relative one is below the site's.
 * @throws PressmarkError USAGE if Pressmark itself builds the site; what `postbuild` throws.
 */
export async function completeSite(
  settings: Settings,
  output: string,
  { siteDir = settings.dir, excluded = new Set(), ...options }: CompleteOptions = {},
): Promise<PostbuildReport> {
  const { siteUrl, dir, buildTimeoutMs: timeoutMs } = settings;
  const warnings: string[] = [];
  const onMalformed = ({ path, reason }: MalformedFile) => {
    if (!excluded.has(path))
      warnings.push(`${path}: its page was not checked, as its front matter is malformed: ${reason}`);
  };
  const articles = toComplete(deliveredArticles(settings, siteDir, onMalformed), excluded);
  const outputDir = resolve(dir, output);
  // A build of Pressmark checks the pages again after its command has ended.
  const changesPages = options.readOnly !== true && !isWithinBuild(settings);
  const plugins = changesPages ? await openPagePlugins(settings, siteDir, excluded) : undefined;
  const { stateDir } = foldersOf(settings);
  try {
    const filtered = plugins?.filtered;
    const report = await postbuild({
      siteUrl,
      output: outputDir,
      articles,
      timeoutMs,
      filtered,
      ...options,
    });
    const isBuilt = changesPages && fs.existsSync(outputDir) && fs.readdirSync(outputDir).length > 0;
    if (isBuilt) copyAssets(resolve(siteDir, staticFolderOf(settings)), outputDir);
    if (isBuilt) await plugins?.writeFiles(outputDir, options.signal);
    if (isBuilt) warnings.push(...addRedirects(outputDir, infoOfSite(settings), stateDir));
    return { ...report, warnings: [...warnings, ...report.warnings, ...(plugins?.warnings ?? [])] };
  } finally {
    await plugins?.close();
  }
}

/** Adds the redirect pages, if the generator has made no page there. @returns warnings. */
function addRedirects(outputDir: string, site: SiteInfo, stateDir: string): string[] {
  return [...redirectPagesOf(site, stateDir)].flatMap(([file, page]) => {
    try {
      put(outputDir, file, Buffer.from(page), false);
      return [];
    } catch (error) {
      return `a redirect of an article in the trash: ${messageOf(error)}`;
    }
  });
}

/** An article file that Pressmark has stored. */
export interface DeliveredFile extends BuiltArticle {
  readonly text: string;
}

/** A file whose front matter cannot be read. */
export interface MalformedFile {
  readonly path: string;
  readonly text: string;
  readonly reason: string;
  /** Whether it is a stored article whose front matter an edit has broken, at which a generator may stop. */
  readonly isBrokenArticle: boolean;
}

/** A line with Pressmark's key, in YAML, TOML or JSON. */
const OWN_LINE = new RegExp(
  `^[ \\t]*(?:["']?${OWN_KEY}["']?[ \\t]*[:=]|\\[(?:[\\w-]+\\.)*${OWN_KEY}\\b)`,
  'm',
);

/** Whether the front matter of a text has Pressmark's key. Without a closing line, the whole text is searched. */
function hasOwnKey(text: string): boolean {
  const behindFirstLine = text.indexOf('\n') + 1;
  const length = text.slice(behindFirstLine).search(/^(?:---|\+\+\+)[ \t]*\r?$/m);
  return OWN_LINE.test(length === -1 ? text : text.slice(0, behindFirstLine + length));
}

/**
 * The stored articles, one after the other.
 *
 * @param siteDir the site's folder, or that of a copy.
 * @param onMalformed called with each file that has malformed front matter.
 */
export function* deliveredArticles(
  settings: Settings,
  siteDir: string,
  onMalformed: (file: MalformedFile) => void,
): Generator<DeliveredFile> {
  const site = generatorOf(settings);
  if (site === undefined)
    throw new PressmarkError(
      'USAGE',
      'the generator is plain: Pressmark builds this site itself, and its pages are complete',
    );
  const content = { ...contentOf(settings), root: resolve(siteDir, settings.content) };
  const now = Date.now();
  for (const path of walk(content)) {
    const text = textOrNothing(join(content.root, path));
    if (text?.includes(OWN_KEY) !== true) continue;
    try {
      const { data } = readFrontMatter(text);
      if (!content.format.isStored(data)) continue;
      const { article, publication } = content.format.decode(text, path);
      const { url, jsonLd, contentHtml } = article;
      const comments = [...new Set(itemComments(contentHtml))];
      yield { path, url, text, jsonLd, comments, state: stateAt(publication, now) };
    } catch (error) {
      if (!(error instanceof PressmarkError)) throw error;
      // The generator may support a form that Pressmark does not read, such as `---js`.
      const isBroken = error.code === 'FRONT_MATTER_INVALID';
      onMalformed({ path, text, reason: reasonOf(error), isBrokenArticle: isBroken && hasOwnKey(text) });
    }
  }
}

/** The articles in the output, without their long texts. */
function* toComplete(
  articles: Iterable<DeliveredFile>,
  excluded: ReadonlySet<string>,
): Generator<BuiltArticle> {
  for (const { text, ...article } of articles) if (!excluded.has(article.path)) yield article;
}
