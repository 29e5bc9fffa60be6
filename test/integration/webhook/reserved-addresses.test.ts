import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { SITE_URL } from '../../support/receiver.js';
import { type ReceiverHere, startHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const CONFIG = {
  git: false,
  site: { search: false },
  endpoint: '/hook',
  articles: { permalink: '/:slug/' },
  plugins: ['./decks.mjs'],
};

const DECKS = `export default { name: 'decks', pages(host) {
  host.addOutput({ path: 'hello/', paths: () => ['hello/index.html'], render: () => 'the plugin' });
} };`;

/** Slugs at which something else is answered, and some that only look so. */
const SUGGESTED = ['pagefind', 'cname', 'tags', 'feed', 'healthz', 'hook', 'hello'];

async function textAt({ origin }: ReceiverHere, url: string): Promise<string> {
  const page = await fetch(`${origin}${new URL(url).pathname}`);
  return page.ok ? page.text() : '';
}

test('200-published: no article gets an address that the site, the endpoint or a plugin’s output has; one that has it already is named by the start and by doctor', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'decks.mjs'), DECKS);
  fs.mkdirSync(join(dir, 'content'));
  for (const slug of ['pagefind', 'hook', 'hello', 'fine'])
    fs.writeFileSync(
      join(dir, `content/${slug}.md`),
      `---\ntitle: "Mine about ${slug}"\ndate: "2026-03-01"\n---\n\nText.\n`,
    );
  const receiver = await startHere(t, { dir, config: CONFIG, endpoint: '/hook' });
  t.deepEqual(
    receiver.log
      .filter(({ msg }) => msg.includes('that the receiver answers itself'))
      .map(({ path }) => path),
    ['hook.md', 'hello.md'],
  );
  const env = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL };
  const { stdout } = await runHere(['doctor', '--dir', dir, '--json'], env);
  const findings = (JSON.parse(stdout) as { about: string; text: string }[])
    .filter(({ about }) => about === 'articles')
    .map(({ text }) => text);
  t.deepEqual(findings.sort(), [
    `hook.md is not served by the receiver, which answers ${SITE_URL}/hook/ itself`,
    `pagefind.md has no page: the site itself needs ${SITE_URL}/pagefind/`,
  ]);

  for (const slug of ['pagefind', 'hook', 'hello', 'fine']) fs.rmSync(join(dir, `content/${slug}.md`));
  const urls = await Promise.all(
    SUGGESTED.map(async (slug) => {
      const data = article({ slug, title: `About ${slug}` });
      return (await receiver.post('article.published', data)).json.url.slice(SITE_URL.length);
    }),
  );
  t.deepEqual(urls, [
    ...['/pagefind-article/', '/cname-article/', '/tags-article/', '/feed-article/', '/healthz-article/'],
    ...['/hook-2/', '/hello-2/'],
  ]);
  for (const [index, url] of urls.entries())
    await until(`the page of ${url} is served`, async () =>
      (await textAt(receiver, `${SITE_URL}${url}`)).includes(`About ${SUGGESTED[index]}`),
    );
});
