import test from 'ava';
import {
  inferFile,
  inferPermalink,
  type SitePost,
} from '../../../../src/generators/inspect/infer-pattern.js';
import { postsOfRule } from '../../../../src/generators/inspect/site-posts.js';

const post = (path: string, address: string, slug: string, date = '2024-03-09') => ({
  path,
  address,
  slug,
  date,
});
const permalink = (...addresses: [string, string?][]) =>
  inferPermalink(addresses.map(([address, date], n) => post(`${n}.md`, address, 'soil', date)))?.pattern;
const file = (...paths: [string, string][]) =>
  inferFile(paths.map(([path, slug]) => post(path, '', slug)))?.pattern;

test('the pattern of an address has the parts of the date in their order, and the slug at its end', (t) => {
  t.is(permalink(['/posts/soil/']), '/posts/:slug/');
  t.is(permalink(['/2024/03/09/soil.html']), '/:year/:month/:day/:slug.html');
  t.is(permalink(['/blog/2024/03/made-of-the-title/']), '/blog/:year/:month/:slug/');
  t.is(permalink(['/03/2024/soil']), '/03/:year/:slug');
  t.is(permalink(['/2023/soil/']), '/2023/:slug/', 'another year is a name');
  t.is(permalink(['/n/2024-03-09-soil/']), '/n/:year-:month-:day-:slug/');
  t.is(permalink(['/caf%C3%A9/soil/']), '/café/:slug/');
});

test('of several patterns the most common of the newest posts is taken, and it is said whether most have it', (t) => {
  const posts = [
    post('a.md', '/old/a/', 'a', '2001-01-01'),
    post('b.md', '/new/b/', 'b', '2024-01-01'),
    post('c.md', '/new/c/', 'c', '2024-02-01'),
  ];
  t.deepEqual(inferPermalink(posts), { pattern: '/new/:slug/', isCommon: true });
  t.deepEqual(inferPermalink(posts.slice(0, 2)), { pattern: '/new/:slug/', isCommon: false });
  const old = Array.from({ length: 30 }, (_, n) => post(`${n}.md`, `/old/${n}/`, `${n}`, '2001-01-01'));
  const newest = old.slice(10).map((one) => ({ ...one, address: `/now/${one.slug}/`, date: '2024-01-01' }));
  t.deepEqual(inferPermalink([...old, ...newest]), { pattern: '/now/:slug/', isCommon: true });
  t.is(inferPermalink([]), undefined);
});

test('posts with addresses of their own show the pattern only where most posts have one', (t) => {
  const ruled = ['a', 'b'].map((name) => ({
    ...post(`${name}.md`, `/blog/${name}/`, name, '2024-01-01'),
    data: {},
  }));
  const own = ['c', 'd', 'e'].map((name) => ({
    ...post(`${name}.md`, `/sheds/${name}/`, name, '2024-02-01'),
    data: { permalink: `/sheds/${name}/` },
  }));
  const patternOf = (posts: readonly SitePost[]) => inferPermalink(postsOfRule(posts, 'permalink'))?.pattern;
  t.is(patternOf([...ruled, ...own.slice(1)]), '/blog/:slug/', 'although they are newer');
  t.is(patternOf([...ruled, ...own]), '/sheds/:slug/');
  t.is(patternOf([]), undefined);
});

test('the day of an address is counted in the site’s time zone', (t) => {
  const late = [post('a.md', '/2024/03/10/a/', 'a', '2024-03-09T20:00:00Z')];
  t.is(inferPermalink(late, 'Asia/Tokyo')?.pattern, '/:year/:month/:day/:slug/');
  t.is(inferPermalink(late)?.pattern, '/:year/:month/10/:slug/');
  const west = [post('a.md', '/2024/03/09/a/', 'a', '2024-03-09T20:00:00-07:00')];
  t.is(inferPermalink(west)?.pattern, '/:year/:month/:day/:slug/', 'or in that of the date, as Hugo does');
});

test('the pattern of a file has its folders, with those of a date, and no folder of a bundle', (t) => {
  t.is(file(['posts/soil.md', 'soil']), 'posts/:slug.md');
  t.is(file(['posts/2024/soil.md', 'soil']), 'posts/:year/:slug.md');
  t.is(file(['en/posts/soil/index.md', 'soil']), 'en/posts/:slug.md');
  t.is(file(['2024-03-09-soil.markdown', 'soil']), ':year-:month-:day-:slug.md');
  t.is(file(['soil.md', 'soil'], ['soil.mdx', 'soil']), ':slug.md');
});
