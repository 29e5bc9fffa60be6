/** A plugin that adds to the head of articles' pages, and a file. */
export const MARKS = `export default { name: 'marks', pages(host) {
  host.addFilter('page.head', (head, { article }) => head + '<meta name="about" content="' + article.id + '">');
  host.addOutput({ path: 'marks.txt', render: (_path, { articles }) => [...articles].map(({ url }) => url).join('') });
} };`;
