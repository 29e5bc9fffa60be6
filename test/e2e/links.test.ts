import test from 'ava';
import { PAGES, sharedSite } from './demo-site.js';

const site = sharedSite(test);

/** Every address that a page names, absolute, with its fragment. */
function addressesIn(html: string, page: string): URL[] {
  const own = html.replace(/<(script|pre|code)\b[\s\S]*?<\/\1>/g, '');
  const named = [...own.matchAll(/\s(?:href|src|poster|srcset)="([^"]*)"/g)].map(
    ([, address = '']) => address,
  );
  return named.map((address) => new URL(address.replaceAll('&amp;', '&'), page));
}

test('every link of the site leads somewhere, and every fragment to an element', async (t) => {
  const { origin } = site();
  const texts = new Map<string, string>();
  const queue = [`${origin}${PAGES.home}`, `${origin}/sitemap.xml`, `${origin}${PAGES['not found']}`];
  for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
    if (texts.has(url)) continue;
    const response = await fetch(url);
    const text = await response.text();
    texts.set(url, text);
    t.is(response.status, url.endsWith(PAGES['not found']) ? 404 : 200, url);
    if (!/html|xml/.test(response.headers.get('content-type') ?? '')) continue;
    const inXml = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = '']) => new URL(address));
    for (const address of [...addressesIn(text, url), ...inXml]) {
      if (address.origin !== origin) continue;
      const { hash } = address;
      address.hash = '';
      queue.push(address.href);
      if (hash !== '' && address.href === url)
        t.true(text.includes(`id="${hash.slice(1)}"`), `${url}${hash}`);
    }
  }
  const found = (path: string) => texts.has(`${origin}${path}`);
  for (const path of Object.values(PAGES)) t.true(found(path.replace(/\?.*/, '')), path);
  for (const path of ['/feed.xml', '/rss.xml', '/feed.json', '/favicon.svg']) t.true(found(path), path);
  t.true([...texts.keys()].some((url) => /\/assets\/style\.[0-9a-f]{8}\.css$/.test(url)));
});
