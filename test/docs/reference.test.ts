import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { draftOf } from '../../src/article/article.js';
import { COMMANDS } from '../../src/cli/program.js';
import { schema } from '../../src/config/schema.js';
import { ACTIONS, FILTERS } from '../../src/host/hooks/hook-types.js';
import { article } from '../support/events.js';
import { cliReference } from './cli-reference.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const page = (name: string) => fs.readFileSync(join(ROOT, 'docs', name), 'utf8');

/** What stands in code in the first cell of each row of the tables in a text. */
function firstCells(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''));
}

test('docs/plugins.md lists every field of a draft', (t) => {
  const [, table = ''] = page('plugins.md').split('### The draft');
  t.deepEqual(
    firstCells(table.split(/^## /m)[0] ?? '').sort(),
    Object.keys({ ...draftOf({ ...article(), source: {} }), held: '' }).sort(),
  );
});

test('docs/plugins.md lists every action', (t) => {
  const [, table = ''] = page('plugins.md').split('## Actions');
  t.deepEqual(firstCells(table).sort(), Object.keys(ACTIONS).sort());
});

test('docs/plugins.md lists every filter', (t) => {
  const [, table = ''] = page('plugins.md').split('## Filters');
  t.deepEqual(firstCells(table.split(/^##/m)[0] ?? '').sort(), Object.keys(FILTERS).sort());
});

test('docs/configuration.md lists every setting', (t) => {
  const named = new Set(firstCells(page('configuration.md')).map((name) => name.split('.')[0]));
  for (const name of Object.keys(schema.shape)) t.true(named.has(name), name);
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
