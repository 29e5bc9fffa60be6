import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rulesList } from '../../src/conformance/report/markdown.js';
import { RULES } from '../../src/conformance/rules/all.js';
import { cliReference } from './cli-reference.js';

// `npm run docs`: writes what the pages have from the code. Tests compare it.

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));

fs.writeFileSync(`${DOCS}cli.md`, await cliReference());

const conformance = fs.readFileSync(`${DOCS}conformance.md`, 'utf8');
const [byHand = ''] = conformance.split(/^### /m, 1);
fs.writeFileSync(`${DOCS}conformance.md`, `${byHand}${rulesList(RULES)}\n`);
