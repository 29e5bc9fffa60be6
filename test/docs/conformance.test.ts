import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { checkCommand } from '../../src/cli/sender/check.js';
import { rulesTable } from '../../src/conformance/report/markdown.js';
import { RULES } from '../../src/conformance/rules/all.js';

const docs = fs.readFileSync(fileURLToPath(new URL('../../../docs/conformance.md', import.meta.url)), 'utf8');

test('docs/conformance.md ends with the table of all rules, as check --list prints it', (t) => {
  t.true(docs.endsWith(`\n\n${rulesTable(RULES)}\n`));
});

test('every option that docs/conformance.md names is there', (t) => {
  const known = new Set(checkCommand().options.map(({ long }) => long));
  const named = [...docs.matchAll(/(?<=[`\s])--[a-z-]+/g)];
  t.true(named.length > 0);
  for (const [option] of named) t.true(known.has(option), option);
});
