import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { namesIn } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { sharedFaults } from '../../support/faults.js';
import { generatorSite, listAddressesOf } from '../../support/generator-site.js';
import { launch, type Receiver, SITE_URL } from '../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { soon, until } from '../../support/until.js';

// One site that Hugo builds, whose receivers are killed, restarted and joined by another, one after the other.

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

/** Files in the content folder that are no articles, and unfinished ones in the state folder. */
function debris(): string[] {
  const state = join(dir, '.git/pressmark');
  return [
    ...namesIn(join(dir, 'content')).filter((name) => /(?:^|\/)\./.test(name) || name.includes('recovered')),
    ...namesIn(state).filter((name) => name.endsWith('.tmp')),
  ];
}

/** Waits, as the receiver that has just started may write a file of its own at that moment. */
const nothingIsLeft = () => until('nothing unfinished is left', () => debris().length === 0);

for (const [when, isStored, path] of [
  ['before', false, 'posts/by-hand.md'],
  ['after', true, 'posts/page.html'],
] as const) {
  test.serial(
    `200: killed ${when} an article without Markdown gets its name: it is stored ${isStored ? 'already' : 'when it is sent again'}, once`,
    async (t) => {
      const data = article({ slug: `killed-${when}`, content_markdown: '' });
      faults.set({ call: 'link', path: `killed-${when}\\.html$`, when, kill: true });
      await t.throwsAsync(receiver.post('article.published', data));
      await soon('the receiver ends', receiver.ended);
      t.is(fs.existsSync(join(dir, `content/posts/killed-${when}.html`)), isStored);

      await startAgain();
      await nothingIsLeft();
      const { url } = (await receiver.post('article.published', data)).json;
      t.is(url, at(`/posts/killed-${when}/`));
      t.like(await receiver.find(url), { id: data.id, content_html: data.content_html });
    },
  );

  test.serial(
    `200: killed ${when} an update of ${path} gets its name: the post is the ${isStored ? 'new' : 'old'} one, and the update can be sent again`,
    async (t) => {
      const url = at(LISTED[path]);
      const { id, revision_id: base } = await receiver.find(url);
      const request = update({ target_id: id, target_url: url, base_revision_id: base });
      faults.set({ call: 'rename', path: `${path}$`, when, kill: true });
      await t.throwsAsync(receiver.post('article.updated', request));
      await soon('the receiver ends', receiver.ended);

      await startAgain();
      await nothingIsLeft();
      t.is((await receiver.find(url)).revision_id, isStored ? request.revision_id : base);
      t.is((await receiver.post('article.updated', request)).status, 200);
      t.like(await receiver.find(url), {
        revision_id: request.revision_id,
        content_html: request.content_html,
      });
    },
  );
}

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
