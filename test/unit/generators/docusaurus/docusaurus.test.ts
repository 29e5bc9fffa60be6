import test from 'ava';
import { docusaurus } from '../../../../src/generators/docusaurus/docusaurus.js';
import type { GeneratorOptions } from '../../../../src/generators/generator.js';
import { siteOf } from '../../../support/site-files.js';

const mapping = (options: GeneratorOptions = {}) =>
  docusaurus.mapping({ ...options, body: 'markdown', constants: {}, address: (slug) => `/blog/${slug}/` });

const bodyOf = (markdown: string, html = '<p>As HTML.</p>') =>
  mapping().body({ kind: 'markdown', markdown, html }, 'a.md');

test('a link to the site is not looked for, and in code it stays as it is', (t) => {
  const { text } = bodyOf('[a](/about "A") `[b](/b)` [c](https://x.example)\n\n[d]: /d\n');
  t.is(text, '[a](pathname:///about "A") `[b](/b)` [c](https://x.example)\n\n[d]: pathname:///d\n');
});

test('what Docusaurus would act on, lose or stop at is stored as HTML', (t) => {
  for (const markdown of [
    ...['A <b onclick="x()">word</b>.', ':::note\n\nText\n\n:::', 'A :name[label].'],
    ...['![x](./missing.png)', '![x](/missing.png)', '[x](other.md)', '# A title\n\nText'],
    ...['A title\n=====\n', '```mdx-code-block\n<App />\n```', '<!-- truncate -->'],
  ])
    t.deepEqual(bodyOf(markdown).frontMatter, { mdx: { format: 'mdx' } }, markdown);
});

test('HTML is one element of JSON strings, without a mark at which Docusaurus cuts the file', (t) => {
  const html = '<p>{7*7} "x" \\ `y`</p>\n<!-- truncate -->\n{/* truncate */}\n\u2028</div><App/>';
  const { text } = mapping().body({ kind: 'html', html }, 'a.md');
  t.notRegex(text, /<!--|\{\/\*|\u2028/);
  const [, list = ''] =
    /^<div dangerouslySetInnerHTML=\{\{ __html: \[\n([\s\S]*),\n\]\.join\("\\n"\) \}\} \/>\n$/.exec(text) ??
    [];
  const lines: string[] = JSON.parse(`[${list}]`);
  t.is(
    lines.join('\n'),
    `<div>\n${html.replace('</div>', '')}</app>\n</div>`,
    'what it leaves open is closed',
  );
});

test('init asks Docusaurus for its blog', async (t) => {
  const answer = {
    url: 'https://garden.example',
    baseUrl: '/notes/',
    outDir: 'build',
    blogs: [
      {
        path: './blog',
        routeBase: 'news',
        authors: { 'Marta Oak': 'marta' },
        knownTagsOnly: true,
        stopsUntruncated: true,
        posts: [{ path: 'blog/2024-05-01-soil/index.md', address: '/notes/news/2024/05/01/soil' }],
      },
    ],
  };
  const files = siteOf({ 'blog/2024-05-01-soil/index.md': '---\ntitle: Soil\nauthors: [marta]\n---\n' });
  const facts = await docusaurus.inspect({ files, ask: async () => JSON.stringify(answer) });
  t.like(facts, {
    siteUrl: 'https://garden.example/notes',
    content: 'blog',
    file: ':year-:month-:day-:slug.md',
    permalink: '/news/:year/:month/:day/:slug/',
    build: 'npx docusaurus build',
    questions: [],
  });
  t.regex(facts.warnings.map(({ text }) => text).join(), /^The blog has onUntruncatedBlogPosts: 'throw'/);
  t.deepEqual(facts.options, { keys: { tags: null }, authors: { 'Marta Oak': 'marta' }, routeBase: '/news' });
  const listed = docusaurus.addressQuery?.(files, {}).parse(JSON.stringify(answer), '');
  t.deepEqual(listed, [{ path: 'blog/2024-05-01-soil/index.md', address: '/news/2024/05/01/soil/' }]);
});
