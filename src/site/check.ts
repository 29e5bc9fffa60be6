import { join } from 'node:path';
import { createCatalog } from '../store/catalog.js';
import { createHtmlReader } from './article-pages.js';
import { compareCompressed, compressedLeftovers, isEverCompressed } from './compressed.js';
import { bytesOf, type Content } from './draft.js';
import { dressFor } from './dress.js';
import { createIntake } from './intake.js';
import { createLarder } from './larder.js';
import { createMaking } from './making.js';
import { type Manifest, manifestPath, openManifest } from './manifest.js';
import { createModel } from './model.js';
import { filesBelow, isReplaceable, type Output, readSmall } from './output.js';
import { createPages } from './pages.js';
import { createRound } from './round.js';
import type { Piece } from './series.js';
import { siteFiles } from './site-files.js';
import type { SiteOptions } from './site-options.js';

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
  const model = createModel(site);
  const larder = createLarder();
  const intake = createIntake({ content, catalog, model, larder, log });
  const dress = dressFor(options, model);
  const besides = siteFiles(site, hooks, model.all, dress, createHtmlReader<Piece>(content), hosting);
  const pages = createPages(site, model, pageSize, () => besides);
  await intake.takeAll(async () => undefined);
  pages.settle();

  const stale = new Set(pages.files());
  const output = comparingOutput(options, manifest);
  const round = createRound(output);
  const making = createMaking({
    content,
    model,
    pages,
    intake,
    larder,
    output,
    stale,
    unsure: stale,
    dress: () => dress,
    absorb: () => undefined,
  });
  await making.build(round, new Set(stale), {
    breathe: async () => undefined,
    ...(onProgress && { onProgress }),
  });
  round.tell(log);
  const failed = [...stale].map((file): Difference => ({ file, is: 'failed' }));
  return [...output.differences(stale), ...failed].sort((a, b) => (a.file < b.file ? -1 : 1));
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

  /** @param besides files of which nothing can be said. */
  function differences(besides: ReadonlySet<string>): Difference[] {
    const found = [...put].flatMap(([file, is]): Difference[] => (is === 'same' ? [] : [{ file, is }]));
    const isText = (file: string) => put.has(file) || besides.has(file);
    const present = filesBelow(root);
    const others = present.filter((file) => !isText(file) && isSurplus(file));
    const leftovers = isCompressed ? compressedLeftovers(root, present, isText) : [];
    const surplus = new Set([...others, ...leftovers]);
    return [...found, ...ofCompressed, ...[...surplus].map((file): Difference => ({ file, is: 'surplus' }))];
  }

  const output: Output = {
    root,
    workshop: root,
    helpersWorkshop: root,
    put: compare,
    putDraft: () => false,
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
