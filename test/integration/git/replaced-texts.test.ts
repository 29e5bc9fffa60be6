import fs from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { replacedFiles } from '../../../src/git/commit/replaced-texts.js';
import { makeSite, type Site, withHeldGit } from './site.js';

// Until git has a text, the article's file is its only place.

/** A site with one committed article, which a person has edited since; nothing runs. */
async function editedSite(t: Parameters<typeof makeSite>[0], options: { path?: string } = {}) {
  const site = await makeSite(t);
  await site.start();
  const path = await site.publish('one', {}, options);
  await site.untilCommitted(1);
  await site.stop();
  await appendFile(join(site.dir, path), 'my words\n');
  return { site, path, text: await site.read(path) };
}

const stateDir = (site: Site) => join(site.top, '..', 'state');

/** The texts that are kept as plain files. */
async function kept(site: Site): Promise<string[]> {
  const files = replacedFiles(stateDir(site));
  return files.map((file) => fs.readFileSync(join(stateDir(site), file), 'utf8'));
}

const committed = async (site: Site) => (await site.subjects()).slice(2);

test('where git takes too long, the update proceeds, and what it has replaced is kept as a file, however long its name', async (t) => {
  const path = `content/articles/2026/11/${'ä'.repeat(123)}.md`;
  const { site, text } = await editedSite(t, { path });
  const { env, hold, release } = await withHeldGit(site, 'update-index');
  await hold();
  await site.start({ commitEdits: true, env, replaceMs: 100 });
  await site.update('one', { revision: 'r2' });
  t.deepEqual(await kept(site), [text]);
  const [logged] = site.logged('an update has replaced a text that git does not have');
  t.is(logged?.why, 'git took longer than 0.1 s');
  await release();
  await site.until('the update is committed', async () =>
    isDeepStrictEqual((await committed(site)).slice(-1), ['Update: Title of one']),
  );
  t.is(await site.git('show', `HEAD:${path}`), await site.read(path));
  t.deepEqual(await kept(site), [text]);
});
