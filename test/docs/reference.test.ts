import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import type { Command } from 'commander';
import { draftOf } from '../../src/article/article.js';
import { initCommand } from '../../src/cli/init.js';
import { schema } from '../../src/config/schema.js';
import { ACTION_NAMES } from '../../src/host/hook-types.js';
import { article } from '../support/events.js';

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
  t.deepEqual(firstCells(table.split(/^## /m)[0] ?? '').sort(), Object.keys(draftOf(article())).sort());
});

test('docs/plugins.md lists every action', (t) => {
  const [, table = ''] = page('plugins.md').split('## Actions');
  t.deepEqual(firstCells(table).sort(), [...ACTION_NAMES].sort());
});

test('docs/configuration.md lists every setting', (t) => {
  const named = new Set(firstCells(page('configuration.md')).map((name) => name.split('.')[0]));
  for (const name of Object.keys(schema.shape)) t.true(named.has(name), name);
});

test('docs/configuration.md lists every command but those of the sender', (t) => {
  const [, table = ''] = page('configuration.md').split('## Commands');
  const source = fs.readFileSync(join(ROOT, 'src/cli/program.ts'), 'utf8');
  const ofSender = page('sender.md');
  const names = [...source.matchAll(/import\('\.\/(\w+)\.js'\)\)\.\w+Command\(\)/g)].map(
    ([, name]) => name ?? '',
  );
  t.true(names.includes('postbuild'));
  for (const name of names)
    t.true(table.includes(`\`pressmark ${name}`) || ofSender.includes(`pressmark ${name}`), name);
});

/** The pages that have the flags of commands; those of all others are in docs/configuration.md. */
const PAGE_OF: Readonly<Record<string, string>> = {
  connect: 'sender.md',
  publish: 'sender.md',
  refresh: 'sender.md',
  deliveries: 'sender.md',
  work: 'sender.md',
  check: 'conformance.md',
};

test('the docs name every flag of every command, as --help lists them', async (t) => {
  const source = fs.readFileSync(join(ROOT, 'src/cli/program.ts'), 'utf8');
  const commands = [...source.matchAll(/import\('\.\/([\w/-]+)\.js'\)\)\.(\w+)Command\(\)/g)];
  t.true(commands.length >= 20);
  for (const [, file = '', name = ''] of commands) {
    const module: Record<string, () => Command> = await import(`../../src/cli/${file}.js`);
    const lines = page(PAGE_OF[name] ?? 'configuration.md').split('\n');
    const text = lines.filter((line) => name in PAGE_OF || line.includes(`\`pressmark ${name}`)).join('\n');
    for (const { long } of module[`${name}Command`]?.().options ?? [])
      if (long !== '--dir') t.regex(text, new RegExp(`${long}\\b`), `${name} ${long}`);
  }
});

test('docs/generators.md and docs/configuration.md name every flag of init', (t) => {
  for (const { long } of initCommand().options)
    if (long !== '--dir' && long !== undefined && long !== null) {
      t.true(page('generators.md').includes(`\`${long}`), long);
      t.true(page('configuration.md').includes(`[${long}`), long);
    }
});
