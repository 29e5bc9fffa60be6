import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Group } from './sandbox.js';

/** The folders of test/integration that are nearest to a room of src/. All rooms have `webhook` besides. */
const INTEGRATION: Readonly<Record<string, readonly string[]>> = {
  src: ['app', 'site', 'testing'],
  admin: ['admin'],
  app: ['app', 'cli'],
  article: ['store', 'site'],
  cli: ['cli'],
  config: ['app', 'cli'],
  conformance: ['cli', 'sender'],
  contract: ['app', 'sender'],
  deploy: ['deploy', 'cli'],
  fs: ['store'],
  generators: ['cli', 'deploy'],
  git: ['git'],
  host: ['host'],
  sender: ['sender', 'cli'],
  site: ['site'],
  store: ['store'],
  testing: ['testing'],
  webhook: ['host'],
};

/** The folders of test/ whose tests are run for a fault in a room: unit tests, then integration tests. */
const foldersOf = (room: string): readonly string[] => [
  room === 'src' ? 'unit' : `unit/${room}`,
  ...[...(INTEGRATION[room] ?? []), 'webhook'].map((name) => `integration/${name}`),
];

/** The groups of tests that are nearest to a room. */
export function nearest(room: string, kind: 'unit' | 'integration', groups: readonly Group[]): Group[] {
  const folders = foldersOf(room).filter((folder) => folder.startsWith(kind));
  return groups.filter(({ members }) =>
    members.some((path) =>
      folders.some((folder) => path.startsWith(`../${folder}/`) || isLoose(path, folder)),
    ),
  );
}

/** The unit tests of the files directly in src/. */
const isLoose = (path: string, folder: string): boolean =>
  folder === 'unit' && /^\.\.\/unit\/[^/]+\.test\.js$/.test(path);

/** What is used of AVA's configuration. */
interface AvaConfig {
  together(files: readonly string[]): readonly string[];
  compiledTests(folder: string): readonly string[];
}

/** Groups tests as `npm test` does. */
export interface Groups {
  /** The unit and integration tests of some rooms. */
  of(rooms: readonly string[]): Group[];
  /** The unit tests that import a module of src/. */
  importing(module: string): Group[];
  /** Each test in a process of its own. */
  alone(files: readonly string[]): Group[];
}

/** More of them would take longer than to ask which tests execute a place. */
const MOST_IMPORTING = 5;

/** Groups tests by the configuration of AVA. */
export async function openGroups(): Promise<Groups> {
  const { together, compiledTests }: AvaConfig = await import(pathToFileURL('ava.config.js').href);
  const unitTests = compiledTests('unit/');

  const groupsOf = (files: readonly string[]) =>
    together(files).map((path) =>
      groupOf(
        path.startsWith('dist/test/together/')
          ? [...fs.readFileSync(path, 'utf8').matchAll(/^import '(.*)';$/gm)].map(([, member = '']) => member)
          : [fromGroups(path)],
      ),
    );

  return {
    of: (rooms) => {
      const folders = new Set(rooms.flatMap(foldersOf).filter((folder) => fs.existsSync(`test/${folder}`)));
      return groupsOf(
        [...folders].flatMap((folder) =>
          folder === 'unit'
            ? unitTests.filter((path) => /^dist\/test\/unit\/[^/]+$/.test(path))
            : compiledTests(`${folder}/`),
        ),
      );
    },
    importing: (module) => {
      const importing = unitTests.filter((path) => importsOf(path).includes(`dist/src/${module}.js`));
      return groupsOf(importing.slice(0, MOST_IMPORTING));
    },
    alone: (files) => files.map((path) => groupOf([fromGroups(path)])),
  };
}

/** A test as a file in dist/test/groups/ imports it. */
const fromGroups = (path: string): string => path.replace('dist/test', '..');

const groupOf = (members: readonly string[]): Group => ({ name: digest(members.join()), members });

/** The files that a compiled file imports. */
function importsOf(file: string): string[] {
  const imports = fs.readFileSync(file, 'utf8').matchAll(/(?:from|import) '(\.[^']+)'/g);
  return [...imports].map(([, path = '']) => join(dirname(file), path));
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8);
