import fs from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import {
  ASSETS,
  type AssetName,
  assetFolder,
  assetPath,
  assetsNamedIn,
  type StoredAsset,
} from '../article/asset.js';
import { PressmarkError, quote, systemCode } from '../errors.js';
import { discard, stage, writeAtomically } from '../fs/atomic-write.js';
import { filesBelow, namesIn } from '../fs/files-below.js';
import { syncFoldersOf } from '../fs/sync-files.js';
import type { ArticleCodec } from './catalog/content-folder.js';
import { storeFailure } from './write/failure.js';

/** The most files that one article may have. */
const MOST_FILES = 1_000;

export interface AssetOptions {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** The folder whose files go to the site as they are, relative to `siteDir`; `''` for that itself. */
  readonly folder: string;
  /** The site's address, without a trailing slash. */
  readonly siteUrl: string;
  /** Where files are written before they are renamed: an unwatched folder. */
  readonly staging: string;
  readonly codec: Pick<ArticleCodec, 'assets'>;
}

/** Files that articles show; see `createAssets`. */
export type AssetStore = ReturnType<typeof createAssets>;

/** The assets of a site, in the folder that its generator copies to the site. */
export function createAssets({ siteDir, folder, siteUrl, staging, codec }: AssetOptions) {
  const root = join(siteDir, folder);

  /**
   * Stores a file. The same bytes are stored once for each article, and have one URL.
   *
   * @throws PressmarkError BODY_TOO_LARGE, TYPE_UNSUPPORTED, USAGE, STORE_FAILED.
   */
  async function put(given: Uint8Array | Blob, name: AssetName = {}): Promise<StoredAsset> {
    const bytes = given instanceof Blob ? new Uint8Array(await given.arrayBuffer()) : given;
    if (!(bytes instanceof Uint8Array))
      throw new PressmarkError('USAGE', `an asset is ${quote(bytes)} instead of bytes`);
    const { path, type } = assetPath(bytes, name);
    const target = join(root, path);
    try {
      if (!(await isFileWith(target, bytes))) {
        if (name.article !== undefined && namesIn(dirname(target)).length >= MOST_FILES)
          throw new PressmarkError(
            'BODY_TOO_LARGE',
            `article ${quote(name.article)} has ${MOST_FILES} files already`,
          );
        await write(target, bytes);
      }
      // Also where it was there: who has written it may not have come to that, or not come to it yet.
      await syncFoldersOf(siteDir, [target]);
    } catch (error) {
      throw storeFailure(error);
    }
    return { url: `${siteUrl}/${path}`, path: posix.join(folder, path), type };
  }

  async function write(target: string, bytes: Uint8Array): Promise<void> {
    fs.mkdirSync(dirname(target), { recursive: true });
    let temp: string | undefined;
    try {
      fs.mkdirSync(staging, { recursive: true });
      ({ temp } = await stage(staging, bytes));
      fs.renameSync(temp, target);
    } catch (error) {
      if (temp !== undefined) discard(temp);
      // Another receiver that starts removes what is staged; or the folder is on another file system.
      if (!['ENOENT', 'EXDEV'].includes(systemCode(error) ?? '')) throw error;
      await writeAtomically(target, bytes);
    }
  }

  /** The files that belong to an article, relative to the site's folder: those it was given, and those its text names. */
  async function filesOf(id: string, text: string): Promise<string[]> {
    const own = `${ASSETS}/${assetFolder(id)}`;
    const given = namesIn(join(root, own)).filter((name) => !name.startsWith('.'));
    const named = (await codec.assets(text)).filter((path) => fs.existsSync(join(root, path)));
    return [...new Set([...given.map((name) => `${own}/${name}`), ...named])].map((path) =>
      posix.join(folder, path),
    );
  }

  return { put, filesOf };
}

/**
 * Copies the assets that a built site lacks: not every generator copies their folder.
 *
 * @param root the folder whose files go to the site, absolute.
 * @param output the output folder, absolute.
 * @returns the number of files.
 */
export function copyAssets(root: string, output: string): number {
  let copied = 0;
  // A link may lead out of the output folder.
  if (fs.lstatSync(join(output, ASSETS), { throwIfNoEntry: false })?.isSymbolicLink() === true) return copied;
  for (const path of filesBelow(join(root, ASSETS))) {
    const [asset] = assetsNamedIn(`${ASSETS}/${path}`);
    if (asset === undefined || fs.existsSync(join(output, asset))) continue;
    fs.mkdirSync(dirname(join(output, asset)), { recursive: true });
    fs.copyFileSync(join(root, asset), join(output, asset), fs.constants.COPYFILE_FICLONE);
    copied++;
  }
  return copied;
}

async function isFileWith(path: string, bytes: Uint8Array): Promise<boolean> {
  if (fs.statSync(path, { throwIfNoEntry: false })?.size !== bytes.length) return false;
  return (await readFile(path)).equals(bytes);
}
