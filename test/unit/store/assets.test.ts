import '../../support/recorded-syncs.js';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { createAssets } from '../../../src/store/assets.js';
import { syncs } from '../../support/recorded-syncs.js';
import { tempDir } from '../../support/temp-dir.js';

const GIF = Buffer.from('R0lGODlhAQABAAAAACw=', 'base64');

test.serial(
  'an asset that is there already is durable, too, when put resolves: its folders are synced',
  async (t) => {
    const dir = fs.realpathSync(tempDir(t));
    const options = {
      siteDir: dir,
      folder: 'static',
      siteUrl: 'https://a.example',
      staging: join(dir, 'staging'),
      codec: { assets: async () => [] },
    };
    const { put } = createAssets(options);
    for (const when of ['at first', 'again']) {
      syncs.length = 0;
      const { path } = await put(GIF);
      const folders = [dirname(join(dir, path)), join(dir, 'static/media'), join(dir, 'static'), dir];
      for (const folder of folders)
        t.true(
          syncs.some(({ path: at }) => at === folder),
          `${when}: ${folder}`,
        );
    }
    const message = 'an asset is "GIF89a" instead of bytes';
    await t.throwsAsync(put('GIF89a' as never), { code: 'USAGE', message });
  },
);
