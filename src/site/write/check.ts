import { join } from 'node:path';
import { createCatalog } from '../../store/catalog.js';
import { createBuildSession } from '../builder/build-session.js';
import { createMaking } from '../builder/making.js';
import { createArticleCache } from '../index/article-cache.js';
import { openArticleFiles } from '../index/article-files.js';
import { createSiteIndex } from '../index/site-index.js';
import { articlePages } from '../outputs/article-pages.js';
import type { Content } from '../outputs/output.js';
import { siteOutputs } from '../outputs/site-outputs.js';
import { contextFor } from '../render/render-context.js';
import type { SiteOptions } from '../site-options.js';
import { compareCompressed, compressedLeftovers, isEverCompressed } from './compressed.js';
import { type Manifest, manifestPath, openManifest } from './manifest.js';
import { bytesOf } from './staged-file.js';
import { filesBelow, isReplaceable, readSmall, type Writer } from './writer.js';

/** What differs between the output and what a clean build gives. */
export interface Difference {
  /** Below the output folder. */
  readonly file: string;
  readonly is: 'missing' | 'different' | 'surplus' | 'failed';
}

/**
 * Compares the output with what a build from nothing gives, and writes nothing. Files that Pressmark did not write
 * are not looked at.
 *
 * @returns what differs, by file name.
 */
export async function checkSite(
  options: SiteOptions,
  onProgress?: (done: number, of: number) => void,
): Promise<Difference[]> {
  const { content, site, log, hooks, outputDir, hosting = [], pageSize = 20 } = options;
  const { catalog = createCatalog() } = options;
  const manifest = openManifest(manifestPath(options), outputDir);
  manifest.catchUp();
  const index = createSiteIndex(site, (path) => outputs.isReserved(path));
  const cache = createArticleCache(content);
  const articleFiles = openArticleFiles({ content, catalog, index, cache, log });
  const context = contextFor(options, index);
  const articles = articlePages(index, cache, articleFiles, () => context);
  const outputs = siteOutputs({
    site,
    index,
    hooks,
    pageSize,
    hosting,
    context: () => context,
    articles,
    log,
    added: options.outputs ?? [],
    htmlOf: ({ entry }) => cache.htmlOf(entry.path, entry.stamp),
  });
  await articleFiles.takeAll(async () => undefined);
  outputs.affectedBy(index.takeChange());

  const stale = new Set(outputs.paths());
  const writer = comparingOutput(options, manifest);
  const session = createBuildSession(writer);
  const making = createMaking({
    index,
    outputs,
    articles,
    articleFiles,
    writer,
    stale,
    unsure: stale,
    absorb: () => undefined,
  });
  await making.build(session, new Set(stale), {
    yieldNow: async () => undefined,
    ...(onProgress && { onProgress }),
  });
  session.tell(log);
  const failed = [...stale].map((file): Difference => ({ file, is: 'failed' }));
  return [...writer.differences(stale), ...failed].sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** An output folder that writes nothing and notes what it would have to write or remove. */
function comparingOutput({ outputDir: root, stateDir, compress = false }: SiteOptions, manifest: Manifest) {
  const put = new Map<string, Difference['is'] | 'same'>();
  const isCompressed = isEverCompressed(stateDir, compress);
  const ofCompressed: Difference[] = [];

  function compare(file: string, content: Content): boolean {
    const present = readSmall(join(root, file));
    const bytes = bytesOf(content);
    const isSame = present?.equals(bytes) ?? false;
    // What a person has put there is kept by a clean build too.
    const isForeign =
      present !== undefined && !isSame && !isReplaceable(file, present, manifest.files.get(file));
    put.set(file, present === undefined ? 'missing' : isSame || isForeign ? 'same' : 'different');
    if (isCompressed && !isForeign) ofCompressed.push(...compareCompressed(root, file, bytes, compress));
    return false;
  }

  function isSurplus(file: string): boolean {
    const present = readSmall(join(root, file));
    return present !== undefined && isReplaceable(file, present, manifest.files.get(file));
  }

  /** @param statics files of which nothing can be said. */
  function differences(statics: ReadonlySet<string>): Difference[] {
    const found = [...put].flatMap(([file, is]): Difference[] => (is === 'same' ? [] : [{ file, is }]));
    const isText = (file: string) => put.has(file) || statics.has(file);
    const present = filesBelow(root);
    const others = present.filter((file) => !isText(file) && isSurplus(file));
    const leftovers = isCompressed ? compressedLeftovers(root, present, isText) : [];
    const surplus = new Set([...others, ...leftovers]);
    return [...found, ...ofCompressed, ...[...surplus].map((file): Difference => ({ file, is: 'surplus' }))];
  }

  const output: Writer = {
    root,
    stagingDir: root,
    workerStagingDir: root,
    put: compare,
    putStaged: () => false,
    drop: () => undefined,
    intact: () => undefined,
    distrust: () => undefined,
    announce: async () => undefined,
    findDamage: () => [],
    removeDamaged: () => undefined,
    adopt: () => false,
    remove: () => false,
    sweep: () => undefined,
  };
  return { ...output, differences };
}
