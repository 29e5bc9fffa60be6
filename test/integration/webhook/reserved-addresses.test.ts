import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { bareEnvironment, type Receiver, run, SITE_URL, startReceiver } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const CONFIG = {
  git: false,
  site: { search: false },
  endpoint: '/hook',
  articles: { permalink: '/:slug/' },
  plugins: ['./routes.mjs'],
};

const ROUTES = `export default { name: 'routes', setup(host) {
  host.router.get('/Hello', (context) => { context.body = 'the plugin'; });
  host.router.get('/find/:what', (context) => { context.body = 'the plugin'; });
  host.router.post('/contact', (context) => { context.body = 'the plugin'; });
} };`;

/** Slugs at which something else is answered, and some that only look so. */
const SUGGESTED = ['pagefind', 'cname', 'tags', 'feed', 'healthz', 'hook', 'hello', 'find', 'contact'];

function siteAt(dir: string): string {
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(CONFIG));
  fs.writeFileSync(join(dir, 'routes.mjs'), ROUTES);
  return dir;
}

async function textAt({ origin }: Receiver, url: string): Promise<string> {
  const page = await fetch(`${origin}${new URL(url).pathname}`);
  return page.ok ? page.text() : '';
}

test('200-published: no article gets an address that the site, the endpoint or a plugin’s route has', async (t) => {
  const receiver = await startReceiver(t, { dir: siteAt(tempDir(t)), endpoint: '/hook' });
  const urls: string[] = [];
  for (const slug of SUGGESTED) {
    const { status, json } = await receiver.post(
      'article.published',
      article({ slug, title: `About ${slug}` }),
    );
    t.is(status, 200);
    urls.push(json.url);
  }
  t.deepEqual(
    urls.map((url) => url.slice(SITE_URL.length)),
    [
      ...['/pagefind-article/', '/cname-article/', '/tags-article/', '/feed-article/', '/healthz-article/'],
      ...['/hook-2/', '/hello-2/', '/find/', '/contact/'],
    ],
  );
  for (const [index, url] of urls.entries())
    await until(`the page of ${url} is served`, async () =>
      (await textAt(receiver, url)).includes(`About ${SUGGESTED[index]}`),
    );
});

test('an article that has such an address already is named by the start and by doctor', async (t) => {
  const dir = siteAt(tempDir(t));
  fs.mkdirSync(join(dir, 'content'));
  for (const slug of ['pagefind', 'hook', 'hello', 'fine'])
    fs.writeFileSync(
      join(dir, `content/${slug}.md`),
      `---\ntitle: "About ${slug}"\ndate: "2026-03-01"\n---\n\nText.\n`,
    );
  const receiver = await startReceiver(t, { dir, endpoint: '/hook' });
  t.deepEqual(
    receiver.log
      .filter(({ msg }) => msg.includes('that the receiver answers itself'))
      .map(({ path }) => path),
    ['hook.md', 'hello.md'],
  );
  const env = { ...bareEnvironment(), PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL };
  const { stdout } = await run(['doctor', '--dir', dir, '--json'], env);
  const findings = (JSON.parse(stdout) as { about: string; text: string }[])
    .filter(({ about }) => about === 'articles')
    .map(({ text }) => text);
  t.deepEqual(findings.sort(), [
    `hook.md is not served by the receiver, which answers ${SITE_URL}/hook/ itself`,
    `pagefind.md has no page: the site's own are at ${SITE_URL}/pagefind/`,
  ]);
});
