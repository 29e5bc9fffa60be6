import { join } from 'node:path';
import test from 'ava';
import { namesIn } from '../../support/content.js';
import { sharedFaults } from '../../support/faults.js';
import { generatorSite, listAddressesOf } from '../../support/generator-site.js';
import { launch, type Receiver, SITE_URL } from '../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';

// One site that Hugo builds, whose receivers are restarted one after the other.

const TOML =
  "+++\ntitle = 'By hand'\ndate = 2024-03-01\n\n[params]\nside = 'left' # mine\n+++\nThe old words.\n";
const LISTED = { 'posts/by-hand.md': '/2024/by-hand/', 'posts/page.html': '/2024/page/' };

const dir = makeTempDir();
const faults = sharedFaults();
const options = { ...faults.options, storeOnly: false };
let receiver: Receiver;

async function startAgain(): Promise<void> {
  faults.clear();
  receiver = await launch(dir, options);
}

test.serial.before(async () => {
  generatorSite(dir, 'hugo', {
    posts: {
      'posts/by-hand.md': TOML,
      'posts/another.md': TOML.replace('By hand', 'Another'),
      'posts/page.html': '---\ntitle: A page\ndate: 2024-03-01\n---\n<p>The old words.</p>\n',
    },
  });
  await listAddressesOf(dir, LISTED);
  await startAgain();
});
test.after.always(async () => {
  await receiver?.kill('SIGKILL');
  removeTempDir(dir);
});

const at = (address: string) => `${SITE_URL}${address}`;

test.serial(
  '200: a restart takes all entries from the snapshot, with what is known of their URLs',
  async (t) => {
    await receiver.stop();
    await startAgain();
    const files = namesIn(join(dir, 'content/posts')).length;
    const recovered = receiver.log.find(({ msg }) => msg === 'recovered');
    t.like(recovered, { fromSnapshot: files, files, read: 0 });
    for (const address of Object.values(LISTED)) t.is((await receiver.find(at(address))).url, at(address));
    const unlisted = await receiver.post('article.lookup', { target_url: at('/posts/another/') });
    t.regex(unlisted.json.error, /posts\/another\.md has no listed URL$/);
  },
);

test.serial(
  '200: the snapshot of a receiver during which addresses were listed is used by the next one',
  async (t) => {
    const url = at('/2024/another/');
    await listAddressesOf(dir, { ...LISTED, 'posts/another.md': '/2024/another/' });
    await receiver.find(url);
    await receiver.stop();
    await startAgain();
    t.is(receiver.log.find(({ msg }) => msg === 'recovered')?.read, 0);
    await receiver.find(url);
  },
);
