import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { until } from '../../support/until.js';

test('a receiver builds the page of a tag when its text changes, and lists, contents and links with a publish', async (t) => {
  const receiver = await startHere(t, { config: { git: false, site: { toc: 4, search: false } } });
  const page = async (path: string) => (await fetch(`${receiver.origin}${path}`)).text();
  const shows = (path: string, text: string) =>
    until(`${path} shows ${text}`, async () => (await page(path)).includes(text));
  const put = (path: string, text: string) => {
    fs.mkdirSync(dirname(join(receiver.dir, 'content', path)), { recursive: true });
    fs.writeFileSync(join(receiver.dir, 'content', path), text);
  };

  put('tags/soil.md', '---\ntitle: All about soil\n---\nIt is *alive*.\n');
  const headings = ['One', 'Two', 'Three', 'Four'].map((title) => `<h2>${title}</h2>`).join('');
  await receiver.post(
    'article.published',
    article({
      id: 'garden-1',
      slug: 'beds',
      tags: ['Soil'],
      author: 'Ada',
      meta_description: '',
      content_html: `<p>Beds begin with ${'many '.repeat(500)}words.</p>${headings}`,
    }),
  );
  await shows('/articles/beds/', '<a href="#three" dir="auto">Three</a>');
  await shows('/tags/soil/', 'It is <em>alive</em>.');
  await shows('/', '2 min read');
  await shows('/', 'Beds begin with many');

  const builds = () => receiver.log.filter(({ msg }) => msg === 'site built');
  const before = builds().length;
  put('tags/soil.md', '---\ntitle: All about soil\n---\nIt is *quite alive*.\n');
  await shows('/tags/soil/', 'It is <em>quite alive</em>.');
  // The build of the publish may end only now, and be logged before this one.
  await until('one build has looked at nothing else', () =>
    builds()
      .slice(before)
      .some(({ pages }) => pages === 1),
  );
  put('authors/ada.md', '---\ndescription: Ada digs.\n---\n');
  await shows('/authors/ada/', '<meta name="description" content="Ada digs.">');
  fs.rmSync(join(receiver.dir, 'content/tags/soil.md'));
  await shows('/tags/soil/', '<h1 dir="auto">Soil</h1>');
  const malformed = receiver.log.filter(({ msg }) => msg.includes('malformed'));
  t.deepEqual(malformed, [], 'none of these files is taken for an article');
});
