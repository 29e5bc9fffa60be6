import { join } from 'node:path';
import test from 'ava';
import { namesIn } from '../../support/content.js';
import { generatorSite, listAddressesOf } from '../../support/generator-site.js';
import { OWN_PROGRAMS, SITE_URL } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';

const TOML =
  "+++\ntitle = 'By hand'\ndate = 2024-03-01\n\n[params]\nside = 'left' # mine\n+++\nThe old words.\n";
const LISTED = { 'posts/by-hand.md': '/2024/by-hand/', 'posts/page.html': '/2024/page/' };

test('200: a restart takes all entries from the snapshot, with what is known of their URLs, also what was listed meanwhile', async (t) => {
  const dir = generatorSite(tempDir(t), 'hugo', {
    posts: {
      'posts/by-hand.md': TOML,
      'posts/another.md': TOML.replace('By hand', 'Another'),
      'posts/page.html': '---\ntitle: A page\ndate: 2024-03-01\n---\n<p>The old words.</p>\n',
    },
  });
  const env = { PATH: `${join(dir, OWN_PROGRAMS)}:${process.env.PATH}` };
  const start = () => startHere(t, { dir, env });
  const at = (address: string) => `${SITE_URL}${address}`;
  await listAddressesOf(dir, LISTED);
  await (await start()).close();

  const second = await start();
  const files = namesIn(join(dir, 'content/posts')).length;
  t.like(
    second.log.find(({ msg }) => msg === 'recovered'),
    { fromSnapshot: files, files, read: 0 },
  );
  for (const address of Object.values(LISTED)) t.is((await second.find(at(address))).url, at(address));
  const unlisted = await second.post('article.lookup', { target_url: at('/posts/another/') });
  t.regex(unlisted.json.error, /posts\/another\.md has no listed URL$/);

  await listAddressesOf(dir, { ...LISTED, 'posts/another.md': '/2024/another/' });
  await second.find(at('/2024/another/'));
  await second.close();
  const third = await start();
  t.is(third.log.find(({ msg }) => msg === 'recovered')?.read, 0);
  await third.find(at('/2024/another/'));
});
