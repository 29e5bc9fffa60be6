// Shortcodes in the Markdown that you write or edit, not in that of the service:
//   [[figure src="/pictures/hive.jpg" caption="The hive in June"]]
//   [[video id="dQw4w9WgXcQ" title="How to open a hive"]]   a link, so that nothing is loaded before a reader wants it
//   [[site]]                                                  the site's host, in the midst of a text, too
import { definePlugin, escapeHtml } from 'pressmark';

export default definePlugin({
  name: 'shortcodes',
  version: '1.0.0',
  pages(host) {
    const { url } = host.site;

    host.shortcode('figure', ({ src = '', caption, alt = caption }) => {
      if (src === '') throw new Error('write [[figure src="…"]]');
      const address =
        src.startsWith('/') && !src.startsWith('//') ? new URL(url).pathname.replace(/\/$/, '') + src : src;
      const text = caption === undefined ? '' : `<figcaption>${escapeHtml(caption)}</figcaption>`;
      return `<figure><img src="${escapeHtml(address)}" alt="${escapeHtml(alt ?? '')}" loading="lazy">${text}</figure>`;
    });

    host.shortcode('video', ({ id = '', title = 'Video' }) => {
      if (!/^[\w-]+$/.test(id)) throw new Error('write [[video id="…"]]');
      return `<p class="video"><a href="https://www.youtube.com/watch?v=${id}">▶ ${escapeHtml(title)}</a></p>`;
    });

    host.shortcode('site', () => escapeHtml(new URL(url).host));
  },
});
