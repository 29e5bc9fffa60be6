import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { listArticles } from '../../../../src/app/articles/article-list.js';
import { loadSettings } from '../../../../src/config/load.js';
import { bareEnvironment, SITE_URL } from '../../../support/receiver.js';
import { tempDir } from '../../../support/temp-dir.js';

test('a file that has gone since the folder was read, or cannot be read, costs the list no other', async (t) => {
  const dir = tempDir(t);
  const content = join(dir, 'content');
  fs.mkdirSync(content);
  fs.writeFileSync(join(content, 'own.md'), '---\ntitle: Own\n---\nText.\n');
  fs.symlinkSync(join(dir, 'nowhere'), join(content, 'gone.md'));
  fs.symlinkSync(dir, join(content, 'folder.md'));
  const env = { ...bareEnvironment(), PRESSMARK_SECRET: 'a-secret-of-tests', PRESSMARK_SITE_URL: SITE_URL };
  const files = listArticles(await loadSettings(dir, {}, env));
  t.deepEqual(
    files.map(({ kind, path }) => [kind, path]),
    [
      ['unreadable', 'folder.md'],
      ['article', 'own.md'],
    ],
  );
});
