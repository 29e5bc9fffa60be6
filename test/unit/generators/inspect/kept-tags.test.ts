import test from 'ava';
import { tagsInCode } from '../../../../src/generators/inspect/kept-tags.js';
import { siteOf } from '../../../support/site-files.js';

const found = (code: string, path = 'pages/index.tsx') => tagsInCode(siteOf({ [path]: code }), [path]);

test('tags by which code selects posts are found in calls and queries', (t) => {
  for (const code of [
    "posts.filter((post) => post.tags.includes('nav'))",
    'posts.find(function (post) { const own = read(post); return own.tags.indexOf("nav") !== -1; })',
    "posts.filter((post) => post.topics.includes('nav'))",
    'posts.filter((post) => post.metadata.tags.some((tag) => tag.label === `nav`))',
    "site.posts.filter(post => post.tags.findOne({ name: 'nav' }))",
    "hexo.locals.get('tags').find({name: 'nav'})",
    "queryCollection('blog').where('tags', 'LIKE', '%\"nav\"%').all()",
    'allMarkdownRemark(filter: { frontmatter: { tags: { in: ["nav"] } } }) { nodes { id } }',
  ])
    t.deepEqual(found(code), ['nav'], code);
  t.deepEqual(found("a.where('tags', 'IN', ['nav', 'top beds'])"), ['nav', 'top beds']);
  t.deepEqual(found("a.filter((b) => b.tags.some((tag) => tag === 'nav' || tag === 'top'))"), ['nav', 'top']);
});

test('what code says of tags elsewhere selects no posts', (t) => {
  for (const code of [
    "{post.tags.filter((tag) => tag !== 'nav').map(Tag)}\n{post.tags.includes('maths') && <Maths />}",
    "(tags || []).filter((tag) => ['all', 'posts'].indexOf(tag) === -1)",
    'posts.filter((post) => post.tags.includes(tag))',
    `posts.filter((post) => post.tags.includes(\`\${own}\`))`,
    "tags: { type: 'list', in: 'data' }",
  ])
    t.deepEqual(found(code), [], code);
  t.deepEqual(found("posts.filter((post) => post.tags.includes('nav'))", 'posts/a.md'), []);
});
