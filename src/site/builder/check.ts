import { join } from 'node:path';
import { createCatalog } from '../../store/catalog/catalog.js';
import type { SiteOptions } from '../options.js';
import type { Content } from '../outputs/output.js';
import { compareCompressed, compressedLeftovers, isEverCompressed } from '../write/compressed.js';
import type { Manifest } from '../write/manifest.js';
import { isReplaceable } from '../write/ownership.js';
import { bytesOf } from '../write/staged-file.js';
import { filesBelow, readSmall, type Writer } from '../write/writer.js';
import { createBuildSession } from './build-session.js';
import { createFileBuilder } from './file-builder.js';
import { createSite } from './site.js';

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
 * @param manifest what is known of the output, as it is now. No other process builds meanwhile.
 */
export async function checkSite(
  options: SiteOptions,
  manifest: Manifest,
  onProgress?: (done: number, of: number) => void,
): Promise<Difference[]> {
  const site = createSite({ ...options, catalog: createCatalog() });
  await site.articleFiles.takeAll(async () => undefined);
  site.absorb();
  site.addDue(site.outputs.paths());
  const writer = comparingWriter(options, manifest);
  const session = createBuildSession(writer);
  await createFileBuilder(site, writer).build(session, site.due, onProgress && { onProgress });
  session.tell(options.log);
  const failed = [...site.due].map((file): Difference => ({ file, is: 'failed' }));
  return [...writer.differences(site.due), ...failed].sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** An output folder that writes nothing and notes what it would have to write or remove. */
function comparingWriter({ outputDir: root, stateDir, compress = false }: SiteOptions, manifest: Manifest) {
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

  const writer: Writer = {
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
  return { ...writer, differences };
}
