// Sends a web mention to each page that an article links to, once the article is live. It needs liveCheck in the config.
import { definePlugin, fetchPublic } from 'pressmark';

export default definePlugin({
  name: 'webmentions',
  version: '1.0.0',
  // `allowPrivate` is for sites in a network of your own, and for tests.
  options: { '~standard': { version: 1, vendor: 'webmentions', validate: (value) => ({ value }) } },
  receiver({ articles, storage, site, options, job }) {
    const network = options.allowPrivate === true ? { isAllowed: () => true } : {};

    async function mention(source, target, signal) {
      const endpoint = endpointIn(await fetchPublic(target, { ...network, signal }));
      if (endpoint === undefined) return;
      const body = new URLSearchParams({ source, target });
      const { status } = await fetchPublic(endpoint, { ...network, method: 'POST', body, signal });
      if (status >= 500 || status === 429) throw new Error(`${endpoint} has answered ${status}`);
    }

    job('send', {
      on: 'article.live',
      async run({ id, url }, { signal }) {
        const { contentHtml, body = '' } = (await articles.get(id)) ?? {};
        const sent = new Set(await storage.get(`sent ${url}`));
        const failures = [];
        const isNew = (link) => !`${link}/`.startsWith(`${site.url}/`) && !sent.has(link);
        for (const link of linksIn(contentHtml || body).filter(isNew)) {
          const error = await mention(url, link, signal).catch((reason) => reason);
          const isRefused = error?.code === 'USAGE'; // such as an address in the receiver's own network
          if (error === undefined || isRefused) await storage.set(`sent ${url}`, [...sent.add(link)]);
          else failures.push(error.message);
        }
        if (failures.length > 0) throw new Error(failures.join('; '));
      },
    });
  },
});

/** The links of HTML or Markdown, each once. */
function linksIn(text) {
  const links = /<a\s[^<>]*?href=["']?(https?:[^"'\s>]+)|(?<!!)\[[^[\]]*\]\(<?(https?:[^\s)>]+)/gi;
  const found = [...text.matchAll(links)].map(([, html, markdown]) => html ?? markdown);
  return [...new Set(found.map((link) => link.replaceAll('&amp;', '&')))];
}

/** The first endpoint in a page's `Link` headers, else in its HTML. No pattern reads anything twice, as a page may be made to take long. */
function endpointIn({ url, headers: { link = '' }, body }) {
  const headers = [...link.matchAll(/<([^<>]*)>[^<]*?\brel="?([^",;<]*)/gi)];
  const page = body.toString().replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  const tags = [...page.matchAll(/<(?:link|a)(\s[^<>]*)>/gi)].map(([, tag]) => attributesOf(tag));
  const all = [...headers.map(([, href, rel]) => ({ href, rel })), ...tags];
  const isEndpoint = ({ href, rel = '' }) => href !== undefined && / webmention /i.test(` ${rel} `);
  const href = all.find(isEndpoint)?.href.replaceAll('&amp;', '&');
  return href !== undefined && URL.canParse(href, url) ? new URL(href, url).href : undefined;
}

function attributesOf(tag) {
  const all = [...tag.matchAll(/\s([a-z]+)=(?:"([^"]*)"|'([^']*)'|([^\s>]*))/gi)];
  return Object.fromEntries(all.map(([, name, a, b, c]) => [name.toLowerCase(), a ?? b ?? c]));
}
