import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import type { SiteCopy, SiteCopyOptions } from '../copy/site-copy.js';
import { removeFolder } from '../folder-files.js';
import {
  type RunShellCommand,
  readableEnd,
  type ShellResult,
  shellFailure,
  withoutGitVariables,
} from '../run-shell-command.js';
import type { PostbuildReport } from './postbuild.js';

/** A site that its own generator builds in a copy. */
export interface GeneratedSite extends SiteCopyOptions {
  /** The folder of the builds' state, absolute. */
  readonly stateDir: string;
  readonly command: string;
  /** The output folder, relative to the site's folder. */
  readonly output: string;
  readonly env: NodeJS.ProcessEnv;
  /** Variables for the build command. */
  readonly variables: Readonly<Record<string, string>>;
  /** How long one build may take, in milliseconds. */
  readonly timeoutMs?: number;
  readonly runShellCommand: RunShellCommand;
  /** The stored articles of a copy of the site. */
  articleSources(siteDir: string): ArticleSources;
}

/** A stored article file from which the generator makes a page. */
export interface ArticleSource {
  /** Relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly url: string;
  readonly text: string;
}

/** The article files of a site. */
export interface ArticleSources {
  readonly articles: readonly ArticleSource[];
  /**
   * Articles whose front matter a person's edit has broken, with the errors. A generator stops at them, or builds something
   * else.
   */
  readonly malformed: readonly (Omit<ArticleSource, 'url'> & { readonly reason: string })[];
  /** The paths of held, scheduled and expired articles, which are left out of the build. */
  readonly hidden: readonly string[];
}

/**
 * Checks and completes the pages of a copy's articles in an output, except those at `excluded`.
 *
 * @throws PressmarkError BUILD_FAILED if that takes too long, naming the current article.
 */
export type CompletePages = (
  siteDir: string,
  output: string,
  excluded: ReadonlySet<string>,
  signal: AbortSignal,
) => Promise<PostbuildReport>;

/** Builds a copy into an empty output folder. */
export function buildCopy(
  { command, output, env, variables, timeoutMs, runShellCommand }: GeneratedSite,
  { dir: cwd }: SiteCopy,
  signal: AbortSignal,
): Promise<ShellResult> {
  removeFolder(join(cwd, output));
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  return runShellCommand({
    command,
    cwd,
    env: withoutGitVariables(env),
    variables,
    background: true,
    signal,
    ...limit,
  });
}

const NOTHING: PostbuildReport = { checked: 0, changed: 0, missing: [], skipped: [], warnings: [] };

/**
 * Creates the builds of a copy of a site, with the present or the last good content of its articles.
 *
 * @param given the up-to-date copy, the texts of its articles, and the texts of the last good output.
 */
export function createCopyBuilds(given: {
  readonly site: SiteCopy;
  readonly texts: ReadonlyMap<string, string>;
  goodText(path: string): string | undefined;
  readonly signal: AbortSignal;
  readonly options: GeneratedSite & { readonly complete: CompletePages };
}) {
  const { site, texts, goodText, signal, options } = given;
  const { command, output } = options;
  const built = join(site.dir, output);
  let runs = 0;
  /** The articles with their last good content in the copy. */
  let left: ReadonlySet<string> = new Set();
  let isBuilt = false;
  let report = NOTHING;
  let printed = '';

  /**
   * Builds the copy with the last good content of these articles, unless that was the last build.
   *
   * @returns the reason of a failure.
   */
  async function run(without: ReadonlySet<string>): Promise<string | undefined> {
    if (isBuilt && isEqual(left, without)) return undefined;
    for (const [path, text] of texts)
      if (without.has(path) !== left.has(path)) site.write(path, without.has(path) ? goodText(path) : text);
    left = without;
    const failure = await build();
    isBuilt = failure === undefined;
    return failure;
  }

  async function build(): Promise<string | undefined> {
    runs++;
    const result = await buildCopy(options, site, signal);
    printed = readableEnd(result.output);
    if (signal.aborted) throw new PressmarkError('BUILD_FAILED', 'the build was interrupted');
    if (result.kind !== 'succeeded') return shellFailure('build command', command, result);
    const gone = new Set([...left].filter((path) => goodText(path) === undefined));
    try {
      report = await options.complete(site.dir, built, gone, signal);
    } catch (error) {
      if (error instanceof PressmarkError && error.code === 'BUILD_FAILED') return error.message;
      throw error;
    }
    return problemOf(built, report, output);
  }

  return {
    run,
    /** The report about the last output. */
    report: () => report,
    /** The end of the command's last output. */
    printed: () => printed,
    /** How often the command was run. */
    runs: () => runs,
  };
}

/** The reason why an output must not be served; undefined if it may be. */
function problemOf(built: string, { checked, missing }: PostbuildReport, output: string): string | undefined {
  if (!fs.existsSync(built))
    return `the build command succeeded, but there is no folder ${output}; set "output" to the folder that it writes`;
  if (fs.readdirSync(built).length === 0) return `the build command succeeded, but ${output} is empty`;
  const [first] = missing;
  if (first !== undefined && new Set(missing.map(({ file }) => file)).size === checked)
    return `the build command succeeded, but no article has a page; ${first.file}: ${first.reason}`;
  return undefined;
}

function isEqual(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...b].every((path) => a.has(path));
}
