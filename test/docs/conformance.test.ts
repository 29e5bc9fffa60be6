import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { rulesList } from '../../src/conformance/report/markdown.js';
import { RULES } from '../../src/conformance/rules/all.js';

const docs = fs.readFileSync(fileURLToPath(new URL('../../../docs/conformance.md', import.meta.url)), 'utf8');

test('docs/conformance.md ends with all rules, as check --list prints it', (t) => {
  t.true(docs.endsWith(`\n\n${rulesList(RULES)}\n`));
});
