import type { AssetName, StoredAsset } from '../../article/asset.js';

/** The images and other files that articles refer to. */
export interface Assets {
  /**
   * Stores a file in the folder that the site's generator copies to the site; durable when the promise resolves. Equal bytes
   * get the same URL. The file is committed together with the article that it belongs to, or whose file names it.
   *
   * @param bytes such as a file of a form: an image, a sound, a film or a PDF; at most 10,000,000 bytes.
   * @throws PressmarkError TYPE_UNSUPPORTED if it is another kind of file, or does not match `type`; BODY_TOO_LARGE;
   *   STORE_FAILED.
   */
  put(bytes: Uint8Array | Blob, name?: AssetName): Promise<StoredAsset>;
}
