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
import { storeFailure } from './write/failures.js';

/** The maximum number of files for one article. */
const MOST_FILES = 1_000;

export interface AssetOptions {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** The folder whose files are copied to the site, relative to `siteDir`; `''` for `siteDir` itself. */
  readonly folder: string;
  /** The site's address, without a trailing slash. */
  readonly siteUrl: string;
  /** An unwatched folder for files before they are renamed. */
  readonly staging: string;
  readonly codec: Pick<ArticleCodec, 'assets'>;
}

/** The store for articles' assets; see `createAssets`. */
export type AssetStore = ReturnType<typeof createAssets>;

/** Creates the store for assets, in the folder that the generator copies to the site. */
export function createAssets({ siteDir, folder, siteUrl, staging, codec }: AssetOptions) {
  const root = join(siteDir, folder);

  /**
   * Stores a file. The same bytes are stored once per article, with one URL.
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
      // Sync even if the file existed: its writer may not have synced it yet.
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
      // Another receiver removes staged files at its start, or the folder is on another file system.
      if (!['ENOENT', 'EXDEV'].includes(systemCode(error) ?? '')) throw error;
      await writeAtomically(target, bytes);
    }
  }

  /** Lists an article's files, relative to the site's folder: the files stored for it, and those that its text names. */
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
 * Copies assets that a built site lacks, as not every generator copies their folder.
 *
 * @param root the folder whose files belong on the site, absolute.
 * @param output the output folder, absolute.
 * @returns the number of copied files.
 */
export function copyAssets(root: string, output: string): number {
  let copied = 0;
  // A symbolic link may lead out of the output folder.
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
