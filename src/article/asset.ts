import { hash } from 'node:crypto';
import { PressmarkError, quote } from '../errors.js';

/** The folder of assets, below the folder whose files are copied to the site unchanged. */
export const ASSETS = 'media';

/** The largest asset, in bytes. */
export const MAX_ASSET_BYTES = 10_000_000;

/** The type of an asset, detected from its bytes. */
export interface AssetKind {
  /** Such as `image/png`. */
  readonly type: string;
  readonly extension: string;
}

/** The allowed types of assets, which browsers do not run. SVG is missing, as it may contain scripts. */
const KINDS = {
  'image/avif': 'avif',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'application/pdf': 'pdf',
} as const;

type AssetType = keyof typeof KINDS;

/** The first bytes of each type, with one character per byte. */
const SIGNATURES: readonly (readonly [AssetType, RegExp])[] = [
  ['image/avif', /^.{4}ftyp(?:avi[fs]|mi[fa]1.{4,28}avif)/s],
  ['image/gif', /^GIF8[79]a/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  ['audio/mp4', /^.{4}ftypM4[AB] /s],
  ['audio/mpeg', /^(?:ID3|\xff[\xf2\xf3\xfa\xfb])/],
  ['audio/ogg', /^OggS/],
  ['audio/wav', /^RIFF.{4}WAVE/s],
  ['video/mp4', /^.{4}ftyp(?:isom|iso[2-9]|mp4[12]|avc1|M4V |MSNV|dash)/s],
  ['video/webm', /^\x1aE\xdf\xa3.{0,60}webm/s],
  ['application/pdf', /^%PDF-/],
];

/** The type of some bytes; undefined if they are not an allowed asset. */
export function assetKind(bytes: Uint8Array): AssetKind | undefined {
  const start = Buffer.from(bytes.subarray(0, 80)).toString('latin1');
  const type = SIGNATURES.find(([, signature]) => signature.test(start))?.[0];
  return type && { type, extension: KINDS[type] };
}

/** The properties of an asset besides its bytes. */
export interface AssetName {
  /** The expected type, such as `image/png`. @default detected from the bytes */
  readonly type?: string | undefined;
  /** The id of the asset's article. */
  readonly article?: string | undefined;
  /** A part of the file's name, such as `800w`. */
  readonly variant?: string | undefined;
}

/** A stored asset. */
export interface StoredAsset {
  /** The absolute public URL; it never changes. */
  readonly url: string;
  /** The file, relative to the site's folder, with forward slashes. */
  readonly path: string;
  /** Such as `image/png`. */
  readonly type: string;
}

const VARIANT = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * The path of an asset, below the folder whose files are copied to the site. The same bytes have the same path.
 *
 * @throws PressmarkError BODY_TOO_LARGE, TYPE_UNSUPPORTED, USAGE.
 */
export function assetPath(
  bytes: Uint8Array,
  { type, article, variant }: AssetName,
): { path: string; type: string } {
  if (bytes.length > MAX_ASSET_BYTES)
    throw new PressmarkError(
      'BODY_TOO_LARGE',
      `the file has ${bytes.length} bytes; at most ${MAX_ASSET_BYTES} are stored`,
    );
  const kind = assetKind(bytes);
  if (kind === undefined)
    throw new PressmarkError(
      'TYPE_UNSUPPORTED',
      `the file${type === undefined ? '' : ` of the type ${quote(type)}`} is none of ${Object.keys(KINDS).join(', ')}`,
    );
  if (type !== undefined && type !== kind.type)
    throw new PressmarkError(
      'TYPE_UNSUPPORTED',
      `the file was sent as ${quote(type)}, but its bytes are ${kind.type}`,
    );
  if (variant !== undefined && (!VARIANT.test(variant) || variant.length > 40))
    throw new PressmarkError(
      'USAGE',
      `${quote(variant)} is not the name of a variant; use lower-case letters, digits and hyphens, such as "800w"`,
    );
  const digest = hash('sha256', bytes).slice(0, 32);
  const folder = article === undefined ? digest.slice(0, 2) : assetFolder(article);
  const name = `${digest}${variant === undefined ? '' : `-${variant}`}.${kind.extension}`;
  return { path: `${ASSETS}/${folder}/${name}`, type: kind.type };
}

/** The name of an article's folder of assets. No part of the id is used, so it cannot change the path. */
export function assetFolder(id: string): string {
  return hash('sha256', id).slice(0, 12);
}

const extensions = Object.values(KINDS).join('|');

/** A path from `assetPath`. */
const PATH = new RegExp(
  `${ASSETS}/(?:[0-9a-f]{2}|[0-9a-f]{12})/[0-9a-f]{32}(?:-[a-z0-9-]{1,40})?\\.(?:${extensions})(?![\\w-]|\\.\\w)`,
  'g',
);

/** The paths of the assets that a text refers to. */
export function assetsNamedIn(text: string): string[] {
  return text.includes(`${ASSETS}/`) ? [...new Set(text.match(PATH) ?? [])] : [];
}
