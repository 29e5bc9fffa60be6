import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cliReference } from './cli-reference.js';

// `npm run docs`: writes the page that is made from the code. A test compares it.

fs.writeFileSync(fileURLToPath(new URL('../../../docs/cli.md', import.meta.url)), await cliReference());
