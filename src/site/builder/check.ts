import { join } from 'node:path';
import { createCatalog } from '../../store/catalog/catalog.js';
import type { SiteOptions } from '../options.js';
import { SMALLEST, sourceOf, unpacked, variantsOf } from '../outputs/compressed-variants.js';
import type { Content } from '../outputs/output.js';
import type { Manifest } from '../write/manifest.js';
import { isMarked } from '../write/ownership.js';
import { bytesOf } from '../write/staged-file.js';
import { type BuildWriter, filesBelow, readSmall, type Writer } from '../write/writer.js';
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
 * @param isOurs whether Pressmark may replace what a file holds.
 */
export async function checkSite(
  options: SiteOptions,
  manifest: Manifest,
  isOurs: Writer['isOurs'],
  onProgress?: (done: number, of: number) => void,
): Promise<Difference[]> {
  const site = createSite({ ...options, catalog: createCatalog() });
  await site.articleFiles.readAllChanged(async () => undefined);
  site.addAffected();
  site.addDue(site.outputs.paths());
  const writer = comparingWriter(options, manifest, isOurs);
  const session = createBuildSession(writer);
  await createFileBuilder(site, writer).build(session, site.due, onProgress && { onProgress });
  session.logFailures(options.log);
  const failed = [...site.due].map((file): Difference => ({ file, is: 'failed' }));
  return [...writer.differences(site.due), ...failed].sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** An output folder that writes nothing and notes what it would have to write or remove. */
function comparingWriter(
  { outputDir: root, compress = false }: SiteOptions,
  manifest: Manifest,
  isOurs: Writer['isOurs'],
) {
  const put = new Map<string, Difference['is'] | 'same'>();

  function compare(file: string, content: Content): readonly string[] {
    const bytes = bytesOf(content);
    const isOurFile = note(file, (present) => present.equals(bytes));
    if (!compress || !isOurFile || bytes.length < SMALLEST) return [];
    // Whatever another version of a library makes of the same text.
    for (const variant of variantsOf(file))
      note(variant, (present) => unpacked(variant, present)?.equals(bytes) ?? false);
    return [];
  }

  /** @returns whether the file is ours, or would be. */
  function note(file: string, isAsBuilt: (present: Buffer) => boolean): boolean {
    const present = readSmall(join(root, file));
    const isSame = present !== undefined && isAsBuilt(present);
    // What a person has put there is kept by a clean build too.
    const isForeign = present !== undefined && !isSame && !isOurs(file, present);
    put.set(file, present === undefined ? 'missing' : isSame || isForeign ? 'same' : 'different');
    return !isForeign;
  }

  function isSurplus(file: string): boolean {
    const known = manifest.files.get(file);
    const source = sourceOf(file);
    if (known === undefined && source !== undefined && !compress) return false; // people compress our pages, too
    const present = readSmall(join(root, file));
    if (present === undefined) return false;
    return known === undefined ? isMarked(file, present) : isOurs(file, present);
  }

  /** @param failed files of which nothing can be said, nor of their compressed variants. */
  function differences(failed: ReadonlySet<string>): Difference[] {
    const found = [...put].flatMap(([file, is]): Difference[] => (is === 'same' ? [] : [{ file, is }]));
    const isKnown = (file: string) => put.has(file) || failed.has(file) || failed.has(sourceOf(file) ?? '');
    const surplus = filesBelow(root).filter((file) => !isKnown(file) && isSurplus(file));
    return [...found, ...surplus.map((file): Difference => ({ file, is: 'surplus' }))];
  }

  const writer: BuildWriter = {
    root,
    workerStagingDir: root,
    put: compare,
    putStaged: () => [],
    intact: () => undefined,
    announce: async () => undefined,
    remove: () => [],
  };
  return { ...writer, differences };
}
