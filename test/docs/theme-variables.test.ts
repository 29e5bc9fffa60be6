import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { put, testSite } from '../integration/site/test-site.js';

const page = fs.readFileSync(new URL('../../../docs/themes.md', import.meta.url), 'utf8');

const THEME = new URL('../../../templates/', import.meta.url);

/** The files of the built-in theme, and its folders. */
function filesOfTheme(): string[] {
  return fs.readdirSync(THEME, { recursive: true, encoding: 'utf8' });
}

interface Documented {
  readonly path: string;
  readonly types: readonly string[];
  /** Kinds of pages; undefined for all. */
  readonly on: readonly string[] | undefined;
  readonly isCall: boolean;
}

/** The page's lists of variables; the line before each list says on which pages they are. */
function documented(): Documented[] {
  const lists = page.matchAll(/^On (.+):\n\n((?:- .+\n)+)/gm);
  return [...lists].flatMap(([, on = '', list = '']) =>
    [...list.matchAll(/^- `(it\.[^`(]+)(\([^`]*\))?`((?:, `\.\w+`)*) \(([^)]+)\)/gm)].flatMap(
      ([, first = '', call, others = '', types = '']) =>
        [first, ...[...others.matchAll(/\.\w+/g)].map(([member]) => first.replace(/\.\w+$/, member))].map(
          (path) => ({
            path,
            types: types.split(' or ').sort(),
            on: on === 'every page' ? undefined : on.split(', '),
            isCall: call !== undefined,
          }),
        ),
    ),
  );
}

/** How each helper is called to see what it gives. */
const CALLS: Record<string, string> = {
  'it.url': `it.url('/tags/')`,
  'it.tagLink': `it.tagLink('One')`,
  'it.authorLink': `it.authorLink('Ada')`,
  'it.date': `it.date('2026-01-01')`,
  'it.monthDay': `it.monthDay('2026-01-01')`,
  'it.asset': `it.asset('style.css')`,
  'it.isoDate': `it.isoDate('2026-01-01')`,
  'it.byYear': `it.byYear(it.articles)`,
  'it.t': `it.t('readingTime', { minutes: 3 })`,
};

/** A layout that says of everything in `it` what type it has, by its path. */
const LAYOUT = `<meta name="generator" content="Pressmark"><%
const found = {};
const note = (path, value) => {
  if (value === undefined) return;
  const isList = Array.isArray(value);
  const ofObjects = isList && value.every((one) => typeof one === 'object');
  const type = isList ? (ofObjects ? 'list of objects' : 'list of strings') : value === null ? 'null' : typeof value;
  (found[path] ??= []).push(isList && value.length === 0 ? 'empty list' : type);
  if (isList) for (const one of value) { if (ofObjects) members(path + '[]', one); }
  else if (type === 'object' && !/\\.(?:extra|theme)$/.test(path)) members(path, value);
};
const members = (path, value) => { for (const [key, one] of Object.entries(value)) note(path + '.' + key, one); };
for (const [key, value] of Object.entries(it))
  if (typeof value !== 'function' && !key.startsWith('__')) note('it.' + key, value);
const functions = Object.keys(it).filter((key) => typeof it[key] === 'function').map((key) => 'it.' + key);
const given = {${Object.entries(CALLS)
  .map(([name, call]) => `'${name}': ${call}`)
  .join(', ')}};
for (const [name, value] of Object.entries(given))
  found[name] = [Array.isArray(value) ? 'list of objects' : typeof value];
%><%~ JSON.stringify({ kind: it.kind, found, functions }) %>`;

interface Seen {
  readonly kind: string;
  readonly found: Record<string, string[]>;
  readonly functions: string[];
}

/** What the templates of two sites, one with every setting and one with none, are given. */
async function seen(t: Parameters<typeof testSite>[0]): Promise<Seen[]> {
  const navigation = [{ label: 'About', href: '/about/' }];
  const pages: Seen[] = [];
  for (const settings of [{ navigation, logo: '/logo.svg', search: true, toc: 2 }, {}]) {
    const site = testSite(t, { settings, pageSize: 2 });
    put(join(site.options.templatesDir, 'layout.eta'), LAYOUT);
    put(
      join(site.options.content.root, 'pages/about.md'),
      '---\ntitle: About\ntoc: true\n---\n## One\n\n### Two\n',
    );
    for (const term of ['tags/one', 'authors/ada'])
      put(join(site.options.content.root, `${term}.md`), '---\ntitle: Known\n---\nWords.\n');
    for (let n = 1; n <= 8; n++)
      site.write(`a${n}`, {
        contentHtml: '<h2>Above</h2><h3>Below</h3>',
        date: n > 2 ? `2026-01-0${n}` : 'some day',
        updated: n % 2 ? `2026-02-0${n}` : n === 4 ? 'later' : null,
        image: n % 3 ? 'https://img.example/a.png' : null,
      });
    t.is((await site.builder.build('all')).failed, 0);
    const files = Object.entries(site.output()).filter(([file]) => file.endsWith('.html'));
    for (const [, text] of files) pages.push(JSON.parse(text.slice(text.indexOf('>') + 1)));
  }
  return pages;
}

test('every variable of the page is there, of the types that it says, and there are no others', async (t) => {
  const pages = await seen(t);
  // Only a partial has what its `include` gives it, so no page shows that.
  const ofPages = documented().filter(({ on }) => !on?.some((place) => place.includes('.eta')));
  const rows = new Map(ofPages.map((row) => [row.path, row]));
  t.true(rows.size > 80);
  const types = new Map<string, Set<string>>();
  for (const { kind, found, functions } of pages) {
    for (const name of functions) t.true(rows.get(name)?.isCall, `${name} is not documented as a helper`);
    for (const [path, values] of Object.entries(found)) {
      const row = rows.get(path);
      t.truthy(row, `${path} is not documented`);
      t.true(row?.on?.includes(kind) ?? true, `${path} is also on ${kind}`);
      const set = types.get(path) ?? new Set();
      for (const type of values) set.add(type);
      types.set(path, set);
    }
    for (const { path, on, types } of rows.values()) {
      if (path.includes('[]') || types.includes('undefined') || /\.(?:logo|previous|next|page)\./.test(path))
        continue;
      if (on?.includes(kind) ?? true) t.true(path in found, `${path} is missing on ${kind}`);
    }
  }
  for (const { path, types: said } of rows.values()) {
    const given = types.get(path) ?? new Set();
    // An empty list is of any type; what is not there is seen by its absence.
    given.delete('empty list');
    if (said.includes('undefined')) given.add('undefined');
    t.deepEqual([...given].sort(), said, path);
  }
});

test('every variable that a built-in template uses is documented', (t) => {
  const names = new Set(documented().map(({ path }) => path));
  const templates = filesOfTheme().filter((name) => name.endsWith('.eta'));
  t.true(templates.length > 15);
  for (const name of templates)
    for (const [variable] of fs.readFileSync(new URL(name, THEME), 'utf8').matchAll(/\bit\.\w+/g))
      t.true(names.has(variable), `${variable} of ${name} is not documented`);
});

test('the page names every file of the built-in theme, and no other', (t) => {
  const files = filesOfTheme().filter((name) => /\.\w+$/.test(name) && !/^words\/(?!en)/.test(name));
  const named = [...page.matchAll(/^\| `((?!it\.)[\w/-]+\.\w+)`/gm)].map(([, name]) => name);
  t.deepEqual(named.sort(), files.sort());
});
