import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article, update } from '../../support/events.js';
import { launch, type Receiver } from '../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { soon, until } from '../../support/until.js';
import { withPlugins } from '../../support/with-plugins.js';

const HUGO = new URL('../../../src/generators/hugo/hugo.js', import.meta.url).href;

/** A plugin that asks the host for what a path names. */
const ASKING = `const by = { name: 'Ada' };
export default { name: 'asking', receiver(host) {
  const { articles } = host;
  host.adapter({ path: '/in', verify: () => true, receive: () => host.answer(200, { parsed: true }) });
  host.routes((router) => {
    router.get('/open', async (context) => { context.body = await articles.open(context.query.id); });
    router.get('/edit', async (context) => {
      const { id, revision } = await articles.get(context.query.id);
      context.body = await articles.edit(id, revision, { tags: ['Bees'] }, by);
    });
    router.get('/status', async (context) => { context.body = await host.status(); });
  });
} };`;

/**
 * A site that is built elsewhere. While the file \`hold\` is there, its generator's functions do not return: \`sentBody\` and \`body\`
 * anywhere, \`publication\` in the first thread of a process.
 */
function prepare(dir: string): void {
  fs.mkdirSync(join(dir, 'content'));
  withPlugins(dir, { asking: ASKING });
  fs.writeFileSync(
    join(dir, 'pressmark.config.mjs'),
    `import fs from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { hugo } from '${HUGO}';
const held = () => {
  if (!fs.existsSync('${join(dir, 'hold')}')) return;
  fs.writeFileSync('${join(dir, 'begun')}', '');
  while (fs.existsSync('${join(dir, 'hold')}')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
};
const mapping = (options) => {
  const ofHugo = hugo.mapping(options);
  const sentBody = (stored) => (held(), stored);
  const body = (...incoming) => (held(), ofHugo.body(...incoming));
  const publication = (file) => (isMainThread && held(), ofHugo.publication(file));
  return { ...ofHugo, sentBody, body, publication };
};
export default {
  build: { command: 'true', background: false },
  git: false,
  generator: { ...hugo, name: 'held', mapping, addressQuery: undefined },
  articles: { file: ':slug.md' },
};
`,
  );
}

const dir = makeTempDir();
let receiver: Receiver;
test.serial.before(async () => {
  prepare(dir);
  receiver = await launch(dir);
});
test.after.always(async () => {
  await receiver?.kill('SIGKILL');
  removeTempDir(dir);
});

const hold = () => {
  fs.rmSync(join(dir, 'begun'), { force: true });
  fs.writeFileSync(join(dir, 'hold'), '');
};
const letGo = () => fs.rmSync(join(dir, 'hold'), { force: true });
const hasBegun = () => fs.existsSync(join(dir, 'begun'));

const answers = async () => (await soon('the receiver answers', fetch(`${receiver.origin}/healthz`))).ok;

test.serial(
  '200: while an article is stored, updated or made into what a person edits, the receiver answers; what else comes is read behind it',
  async (t) => {
    const data = article({ content_markdown: 'Feed it.' });
    const { json } = await receiver.post('article.published', data);
    const { revision_id } = await receiver.find(json.url);
    const target = { target_id: data.id, target_url: json.url, base_revision_id: revision_id };
    const works: Record<string, () => Promise<{ readonly status: number }>> = {
      open: () => fetch(`${receiver.origin}/-/asking/open?id=${data.id}`),
      publication: () => receiver.post('article.published', article()),
      update: () => receiver.post('article.updated', update(target)),
      edit: () => fetch(`${receiver.origin}/-/asking/edit?id=${data.id}`),
    };
    for (const [what, work] of Object.entries(works)) {
      hold();
      const asked = work();
      await until(`${what} has begun`, () => hasBegun());
      let isParsed = false;
      const parsed = fetch(`${receiver.origin}/in`, { method: 'POST', body: '{}' }).finally(() => {
        isParsed = true;
      });
      t.true(await answers(), what);
      t.false(isParsed, 'it waits for the thread');
      letGo();
      t.is((await asked).status, 200, what);
      t.is((await parsed).status, 200);
    }
  },
);

test.serial(
  '200: while the addresses of posts are listed, which may read all articles and pages, the receiver answers',
  async (t) => {
    hold();
    fs.writeFileSync(join(dir, 'content/by-hand.md'), '---\ntitle: By hand\n---\nText.\n');
    await until('the posts are read', () => hasBegun());
    t.true(await answers());
    letGo();
  },
);

test.serial(
  '200: the status that plugins ask for is that of the catalog, and reads no article where answers are made',
  async (t) => {
    fs.writeFileSync(join(dir, 'content/broken.md'), '---\ntitle: [\n---\nText.\n');
    const elsewhere = 'pressmark:\n  id: a\n  url: https://other.example/a/\n';
    fs.writeFileSync(join(dir, 'content/elsewhere.md'), `---\ntitle: A\n${elsewhere}---\nText.\n`);
    const status = async () =>
      (await (await fetch(`${receiver.origin}/-/asking/status`)).json()) as {
        malformed: { file: string }[];
        addressChange?: string;
      };
    const isKnown = async () => {
      const { malformed, addressChange = '' } = await status();
      return (
        malformed[0]?.file === 'content/broken.md' &&
        /^1 article has a URL that is not at the site’s address.*other\.example/s.test(addressChange)
      );
    };
    await until('both files are known', isKnown);
    hold();
    t.true(await soon('the status is answered', isKnown()));
    letGo();
  },
);
