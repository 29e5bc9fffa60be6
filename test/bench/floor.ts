/**
 * What a generator has to do at the very least: read each file, js-yaml, eta, write. No digest, no lists, no feed, no
 * second look at anything, no atomic writes. `node floor.js <content> <output>`
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta';
import yaml from 'js-yaml';

const TEMPLATE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title><%= it.title %></title>
<meta name="description" content="<%= it.description %>">
<link rel="canonical" href="<%= it.url %>">
<%~ it.json_ld %>
</head>
<body>
<h1><%= it.title %></h1>
<p><%= it.author %> <time datetime="<%= it.date %>"><%= it.date %></time></p>
<%~ it.content_html %>
<ul>
<% it.tags.forEach((tag) => { %><li><%= tag %></li><% }) %>
</ul>
</body>
</html>
`;

interface FrontMatter {
  readonly title: string;
  readonly slug: string;
  readonly date: string;
}

const [content = '', output = ''] = process.argv.slice(2);
const eta = new Eta();
const page = eta.compile(TEMPLATE);
const articles: FrontMatter[] = [];
for (const name of fs.readdirSync(content, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.md')) continue;
  const text = fs.readFileSync(join(content, name), 'utf8');
  const article = yaml.load(text.slice(4, text.indexOf('\n---\n', 4)), {
    schema: yaml.CORE_SCHEMA,
  }) as FrontMatter;
  const folder = join(output, 'articles', article.slug);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(join(folder, 'index.html'), eta.render(page, article));
  articles.push(article);
}
const home = eta.compile(
  '<% it.forEach(({ slug, title }) => { %><p><a href="/articles/<%= slug %>/"><%= title %></a></p><% }) %>',
);
articles.sort((a, b) => (a.date < b.date ? 1 : -1));
fs.writeFileSync(join(output, 'index.html'), eta.render(home, articles.slice(0, 20)));
