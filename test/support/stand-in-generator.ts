import fs from 'node:fs';
import { join } from 'node:path';
import type { Generator, SiteFacts } from '../../src/generators/generator.js';
import { GENERATORS } from '../../src/generators/registry.js';

/** What the stand-in reads of every site. */
const FACTS: SiteFacts = {
  siteUrl: 'https://garden.example/notes',
  language: 'de',
  content: 'content',
  file: 'posts/:slug.md',
  permalink: '/posts/:slug/',
  output: 'public',
  build: 'hugo',
  frontMatter: {},
  options: { timeZone: 'Asia/Tokyo' },
  edits: [],
  ignore: ['public/'],
  questions: [],
  warnings: [],
};

/** A definition for tests of what uses definitions: recognised by a file, it says what it is given. */
export function standIn(name: string, file: string, facts: Partial<SiteFacts> = {}): Generator {
  const unused = () => {
    throw new Error(`a test has not said what ${name} does here`);
  };
  return {
    name,
    packages: GENERATORS.find((generator) => generator.name === name)?.packages ?? [],
    recognise: (files) => (files.read(file) === undefined ? undefined : file),
    inspect: () => ({ ...FACTS, ...facts }),
    mapping: unused,
    configFiles: [file],
    caches: [],
  };
}

/**
 * Makes a program that prints what a generator prints.
 *
 * @param printed by the arguments of the program; for others it fails, as the real one does.
 * @returns the folder of the program, for `PATH`.
 */
export function standInProgram(dir: string, name: string, printed: Readonly<Record<string, string>>): string {
  const bin = join(dir, 'stand-in');
  fs.mkdirSync(bin, { recursive: true });
  const cases = Object.entries(printed).map(([args, text], n) => {
    fs.writeFileSync(join(bin, `answer-${n}`), text);
    return `  '${args}') cat '${join(bin, `answer-${n}`)}';;\n`;
  });
  const script = `#!/bin/sh\ncase "$*" in\n${cases.join('')}  *) echo "$*: unknown" >&2; exit 1;;\nesac\n`;
  fs.writeFileSync(join(bin, name), script, { mode: 0o755 });
  return bin;
}
