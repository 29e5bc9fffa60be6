import fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliDecompressSync,
  constants,
  gunzipSync,
  gzip,
  type InputType,
  type ZlibOptions,
} from 'node:zlib';
import type { Output, SiteOutputs } from './output.js';

/** Of smaller files, in bytes, compression saves no packet of the network. */
export const SMALLEST = 1_024;

/** Files that get smaller; pictures and fonts are compressed as they are. */
const COMPRESSIBLE = /\.(?:html?|css|m?js|json|map|xml|txt|md|svg|webmanifest|wasm)$/i;

/** A larger text is none of a site's. */
const UNPACKED: ZlibOptions = { maxOutputLength: 64 * 1024 * 1024 };

interface Encoding {
  compress(bytes: InputType): Promise<Buffer>;
  decompress(bytes: InputType): Buffer;
}

/** By suffix. The levels at which a page takes 3 ms; the best ones take 70, for a tenth less. */
const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  [
    '.br',
    {
      compress: (bytes) =>
        promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
      decompress: (bytes) => brotliDecompressSync(bytes, UNPACKED),
    },
  ],
  [
    '.gz',
    {
      compress: (bytes) => promisify(gzip)(bytes, { level: 6 }),
      decompress: (bytes) => gunzipSync(bytes, UNPACKED),
    },
  ],
]);

/** The names of a file's compressed variants; none where it is of a kind that does not get smaller. */
export function variantsOf(file: string): string[] {
  return COMPRESSIBLE.test(file) ? [...ENCODINGS.keys()].map((suffix) => `${file}${suffix}`) : [];
}

/** The file of which one of this name would be a compressed variant. */
export function sourceOf(file: string): string | undefined {
  const source = ENCODINGS.has(file.slice(-3)) ? file.slice(0, -3) : '';
  return COMPRESSIBLE.test(source) ? source : undefined;
}

/** What is in a compressed variant, by its name; undefined where it has another name, or nothing can be unpacked. */
export function unpacked(file: string, bytes: Uint8Array): Buffer | undefined {
  if (sourceOf(file) === undefined) return undefined;
  try {
    return ENCODINGS.get(file.slice(-3))?.decompress(bytes);
  } catch {
    return undefined; // somebody else's file, or a damaged one
  }
}

/** The files of which there are to be compressed variants. */
export interface Compress {
  /** The output folder. */
  readonly root: string;
  /** What was written of a file, where it stands as it was written. */
  writtenOf(file: string): { readonly size: number } | undefined;
}

/**
 * `x.br` and `x.gz` for every text `x` of the other outputs that stands as it was written. They are compressed in the
 * thread pool of Node.js.
 */
export function compressedVariants(sources: SiteOutputs, { root, writtenOf }: Compress): Output {
  const derivedFrom = (source: string) =>
    (writtenOf(source)?.size ?? 0) < SMALLEST ? [] : variantsOf(source);

  function* paths(): Generator<string> {
    for (const source of sources.paths()) yield* derivedFrom(source);
  }

  return {
    reserved: [],
    paths,
    has: (path) => {
      const source = sourceOf(path);
      return source !== undefined && sources.at(source) !== undefined && derivedFrom(source).length > 0;
    },
    affectedBy: () => [], // they follow from what is written
    derivedFrom,
    render: (path) => {
      const source = fs.readFileSync(join(root, sourceOf(path) ?? path));
      return ENCODINGS.get(path.slice(-3))?.compress(source);
    },
  };
}
