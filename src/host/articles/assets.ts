import type { AssetName, StoredAsset } from '../../article/asset.js';

/** Files that articles show. */
export interface Assets {
  /**
   * Stores a file, durable when it resolves, in the folder that the site's generator copies to the site. The same bytes have
   * the same URL. It is committed together with the article that it was given, or whose file names it.
   *
   * @param bytes such as a file of a form: an image, a sound, a film or a PDF; at most 10,000,000 bytes.
   * @throws PressmarkError TYPE_UNSUPPORTED if it is none of these, or not what `type` says; BODY_TOO_LARGE; STORE_FAILED.
   */
  put(bytes: Uint8Array | Blob, name?: AssetName): Promise<StoredAsset>;
}
