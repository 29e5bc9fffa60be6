import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { draftOf } from '../../src/article/article.js';
import { COMMANDS } from '../../src/cli/program.js';
import { schema } from '../../src/config/schema.js';
import { siteSchema } from '../../src/config/site-schema.js';
import { RULES } from '../../src/conformance/rules/all.js';
import { ACTIONS, FILTERS } from '../../src/host/hooks/hook-types.js';
import { article } from '../support/events.js';
import { cliReference } from './cli-reference.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string) => fs.readFileSync(join(ROOT, path), 'utf8');
const page = (name: string) => read(`docs/${name}`);

/** What stands in code in the first cell of each row of the tables in a text. */
function firstCells(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''));
}

/** The names in code at the beginning of each item of the lists in a text, before its colon. */
function itemNames(text: string): string[] {
  return [...text.matchAll(/^- ((?:`[^`]+`(?:, )?)+):/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''),
  );
}

test('docs/plugins.md lists every field of a draft, every action and every filter', (t) => {
  for (const [heading, names] of [
    ['### The draft', { ...draftOf({ ...article(), source: {} }), held: '' }],
    ['## Actions', ACTIONS],
    ['## Filters', FILTERS],
  ] as const) {
    const [, list = ''] = page('plugins.md').split(heading);
    t.deepEqual(itemNames(list.split(/^##/m)[0] ?? '').sort(), Object.keys(names).sort(), heading);
  }
});

test('docs/configuration.md lists every setting', (t) => {
  const named = new Set(firstCells(page('configuration.md')).map((name) => name.split('.')[0]));
  for (const name of Object.keys(schema.shape)) t.true(named.has(name), name);
  const ofSite = firstCells(page('configuration.md')).filter((name) => /^site\.\w+$/.test(name));
  t.deepEqual(ofSite.map((name) => name.slice(5)).sort(), Object.keys(siteSchema.shape).sort());
});

test('docs/cli.md is what the commands say (npm run docs writes it)', async (t) => {
  t.is(page('cli.md'), await cliReference());
});

/** The commands of Pressmark in the code of a page, without those of plugins: its name, and the flags after it. */
function* commandsIn(text: string): Generator<{ name: string; flags: string[] }> {
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, code = '']) =>
    code.split('\n'),
  );
  const spans = [...text.replace(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, code = '']) => code,
  );
  for (const code of [...blocks, ...spans]) {
    const [, name, words = ''] = /(?:^|\s|\/)pressmark ([a-z]+(?:-[a-z]+)*)\b(?!:)(.*)/.exec(code) ?? [];
    if (name !== undefined) yield { name, flags: words.match(/(?<=\s)--[a-z-]+/g) ?? [] };
  }
}

test('every command and flag that a page shows is there', async (t) => {
  const pages = fs.readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  let seen = 0;
  for (const name of ['../README.md', ...pages])
    for (const command of commandsIn(page(name))) {
      if (command.name === 'help') continue;
      const load = COMMANDS[command.name];
      if (load === undefined) {
        t.fail(`${name}: pressmark ${command.name}`);
        continue;
      }
      const known = ['--help', ...(await load()).options.map(({ long }) => long)];
      t.deepEqual(
        command.flags.filter((flag) => !known.includes(flag)),
        [],
        `${name}: pressmark ${command.name}`,
      );
      seen++;
    }
  t.true(seen > 50, `${seen} commands`);
});

test('docs/receivers.md has an excerpt of the receiver, and names rules that there are', (t) => {
  const [text = '', part = ''] = page('receivers.md').split('## What goes wrong most often');
  const excerpts = [...text.matchAll(/```python\n([\s\S]*?)```/g)];
  t.is(excerpts.length, 1);
  t.true(read('examples/receivers/python/receiver.py').includes(excerpts[0]?.[1] ?? ''));
  const named = [...part.matchAll(/`([a-z0-9]+(?:-[a-z0-9]+)+)`/g)].map(([, id = '']) => id);
  t.true(named.length >= 10);
  const known = new Set(RULES.map(({ id }) => id));
  for (const id of named) t.true(known.has(id), id);
});

/** The names of the fields of each interface in TypeScript code; of its own fields alone. */
function fieldsIn(code: string): Map<string, string[]> {
  const interfaces = code.matchAll(/^(?:export )?interface (\w+)[^{\n]*\{\n([\s\S]*?)^\}/gm);
  return new Map(
    [...interfaces].map(([, name = '', body = '']) => [
      name,
      [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, field = '']) => field).sort(),
    ]),
  );
}

test('docs/themes.md names every file of the built-in theme, and every variable that a template of it uses', (t) => {
  const text = page('themes.md');
  const files = fs.readdirSync(join(ROOT, 'templates'), { recursive: true, encoding: 'utf8' });
  const [list = ''] = text.split('You can also add files');
  const items = list.split('\n').filter((line) => line.startsWith('- '));
  const named = items.flatMap((item) => [...item.matchAll(/`([\w/-]+\.\w+)`/g)].map(([, name]) => name));
  t.deepEqual(
    named.sort(),
    files.filter((name) => /\.\w+$/.test(name) && !/^words\/(?!en)/.test(name)).sort(),
  );
  const fields = fieldsIn(text);
  const documented = new Set(
    [...(fields.get('It') ?? []), ...(fields.get('Helpers') ?? [])].map((name) => `it.${name}`),
  );
  for (const [, name = ''] of text.matchAll(/`(it\.\w+)`/g)) documented.add(name);
  const templates = files.filter((name) => name.endsWith('.eta'));
  t.true(templates.length > 15);
  for (const name of templates)
    for (const [variable] of read(`templates/${name}`).matchAll(/\bit\.\w+/g))
      t.true(documented.has(variable), `${variable} of ${name} is not documented`);
});

test('docs/themes.md has the fields of the types that templates get', (t) => {
  const types = fieldsIn(read('src/host/pages/page-types.ts'));
  const documented = fieldsIn(page('themes.md'));
  for (const name of ['SiteInfo', 'ArticleLink', 'ArticleSummary', 'ArticleOnPage', 'StandalonePage'])
    t.deepEqual(documented.get(name), types.get(name), name);
  const known = new Set(documented.get('It'));
  for (const field of types.get('PageContext') ?? []) t.true(known.has(field), field);
});
