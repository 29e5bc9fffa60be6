import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import type { SiteCopy } from '../site-copy.js';
import type { PostbuildReport } from './postbuild.js';
import { buildFailure, type RunBuild, withoutGitVariables } from './run-build.js';

/** An article file that Pressmark has stored, from which the generator makes a page. */
export interface ArticleSource {
  /** Relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly url: string;
  readonly text: string;
}

/** The article files of a site. */
export interface ArticleSources {
  readonly articles: readonly ArticleSource[];
  /** Articles whose front matter a person's edit has broken, and how. A generator stops at them, or builds something else. */
  readonly malformed: readonly (Omit<ArticleSource, 'url'> & { readonly reason: string })[];
}

/** How a copy of a site is built. */
export interface CopyBuildOptions {
  readonly command: string;
  /** The output folder, relative to the site's. */
  readonly output: string;
  readonly env: NodeJS.Dict<string>;
  /** Variables for the build command. */
  readonly variables: Readonly<Record<string, string>>;
  /** How long one build may take, in milliseconds. */
  readonly timeoutMs?: number;
  readonly runBuild: RunBuild;
  /**
   * Checks and completes the pages of the articles of a copy in an output, but for those at `excluded`.
   *
   * @throws PressmarkError BUILD_FAILED where that takes too long, with the article that was looked at.
   */
  complete(
    siteDir: string,
    output: string,
    excluded: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<PostbuildReport>;
}

/** Builds of one copy, with the present or the last good content of its articles; see `createCopyBuilds`. */
export interface CopyBuilds {
  /** Builds the copy with the last good content of these articles. @returns why that failed. */
  run(without: ReadonlySet<string>): Promise<string | undefined>;
  /** The same, unless the last build was such a one and succeeded. */
  ensure(without: ReadonlySet<string>): Promise<string | undefined>;
  /** How the last build ended. */
  last(): { readonly without: ReadonlySet<string>; readonly failure: string | undefined } | undefined;
  /** What was found in the last output. */
  report(): PostbuildReport;
  /** How often the command was run. */
  runs(): number;
}

const NOTHING: PostbuildReport = { checked: 0, changed: 0, missing: [], skipped: [], warnings: [] };

/** @param given the copy, as the site is now; the texts of its articles, and those of the last good output. */
export function createCopyBuilds(given: {
  readonly site: SiteCopy;
  readonly texts: ReadonlyMap<string, string>;
  goodText(path: string): string | undefined;
  readonly signal: AbortSignal;
  readonly options: CopyBuildOptions;
}): CopyBuilds {
  const { site, texts, goodText, signal, options } = given;
  const { command, output, env, variables, timeoutMs } = options;
  let runs = 0;
  let last: { readonly without: ReadonlySet<string>; readonly failure: string | undefined } | undefined;
  let report = NOTHING;

  async function run(without: ReadonlySet<string>): Promise<string | undefined> {
    for (const [path, text] of texts)
      if (without.has(path) !== (last?.without.has(path) ?? false))
        site.write(path, without.has(path) ? goodText(path) : text);
    const failure = await build(without);
    last = { without, failure };
    return failure;
  }

  async function build(without: ReadonlySet<string>): Promise<string | undefined> {
    runs++;
    const built = join(site.dir, output);
    fs.rmSync(built, { recursive: true, force: true });
    const result = await options.runBuild({
      command,
      cwd: site.dir,
      env: withoutGitVariables(env),
      variables,
      background: true,
      signal,
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    if (signal.aborted) throw new PressmarkError('BUILD_FAILED', 'the build was interrupted');
    if (result.kind !== 'built') return buildFailure(command, result);
    const gone = new Set([...without].filter((path) => goodText(path) === undefined));
    try {
      report = await options.complete(site.dir, built, gone, signal);
    } catch (error) {
      if (error instanceof PressmarkError && error.code === 'BUILD_FAILED') return error.message;
      throw error;
    }
    return problemOf(built, report, output);
  }

  async function ensure(without: ReadonlySet<string>): Promise<string | undefined> {
    const isBuilt = last?.failure === undefined && last !== undefined && isEqual(last.without, without);
    return isBuilt ? undefined : await run(without);
  }

  return { run, ensure, last: () => last, report: () => report, runs: () => runs };
}

/** Why an output is not one that may be served; undefined where it may. */
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
