/** A picture of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/**
 * A plugin for the site of another generator: it stores a picture, holds articles by their titles, and adds to the pages of articles and to
 * the output. What cannot run there is named at the start.
 */
export const MARKS = `export default {
  name: 'marks',
  receiver(host) {
    host.addFilter('article.draft', async (draft) => {
      if (draft.title.startsWith('Held')) return host.hold('not yet');
      if (draft.id === 'ordinary-html')
        host.log.info(await host.assets.put(Buffer.from('${PNG}', 'base64'), { article: draft.id }), 'picture stored');
      return draft;
    });
  },
  pages(host) {
    host.addFilter('page.head', (head, { kind }) => head + '<meta name="about" content="' + kind + '">');
    host.addFilter('page.html', (html, { path }) => html.replace('<body', '<body data-path="' + path + '"'));
    host.addOutput({ path: 'marks.txt', render: (_path, { articles }) => [...articles].map(({ url }) => url + '\\n').join('') });
    host.addFilter('page.content', (html) => html + 'never');
    host.shortcode('never', () => 'never');
  },
};
`;

/** What the log says of what cannot run. */
export const NOT_RUN =
  /page\.content, shortcode of plugin marks \(plugins\/marks\.mjs\) do not run: .* makes the pages of this site/;

/** What the plugin adds to the output besides pages. */
export const ADDED = /^(?:media\/|marks\.txt$)/;
