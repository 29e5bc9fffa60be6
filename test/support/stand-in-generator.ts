import type { Generator, SiteFacts } from '../../src/generators/generator.js';

/** What the stand-in reads of every site. */
export const FACTS: SiteFacts = {
  siteUrl: 'https://garden.example/notes',
  language: 'de',
  theme: 'moss',
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
    recognise: (files) => (files.read(file) === undefined ? undefined : file),
    inspect: () => ({ ...FACTS, ...facts }),
    options: () => ({}),
    mapping: unused,
    configFiles: [file],
    caches: [],
    problems: () => [],
  };
}
