import fs from 'node:fs';
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

/** The groups of tests that are nearest to a room, in the order in which they are run. */
export const nearest = (room: string, groups: readonly Group[]): readonly Group[][] => {
  const folders = foldersOf(room);
  const near = groups.filter(({ members }) =>
    members.some((path) =>
      folders.some((folder) => path.startsWith(`../${folder}/`) || isLoose(path, folder)),
    ),
  );
  const isUnit = ({ members }: Group) => members.some((path) => path.startsWith('../unit/'));
  return [near.filter(isUnit), near.filter((group) => !isUnit(group))];
};

/** The unit tests of the files directly in src/. */
const isLoose = (path: string, folder: string): boolean =>
  folder === 'unit' && /^\.\.\/unit\/[^/]+\.test\.js$/.test(path);

/** What is used of AVA's configuration. */
interface AvaConfig {
  together(files: readonly string[]): readonly string[];
  compiledTests(folder: string): readonly string[];
}

/** Groups the unit and integration tests of some rooms as `npm test` does, by the configuration of AVA. */
export async function groupsOf(rooms: readonly string[]): Promise<Group[]> {
  const { together, compiledTests }: AvaConfig = await import(pathToFileURL('ava.config.js').href);
  const folders = new Set(rooms.flatMap(foldersOf));
  const files = [...folders].flatMap((folder) =>
    folder === 'unit'
      ? compiledTests('unit/').filter((path) => /^dist\/test\/unit\/[^/]+$/.test(path))
      : compiledTests(`${folder}/`),
  );
  return together(files).map((path, index) => {
    const members = path.startsWith('dist/test/together/')
      ? [...fs.readFileSync(path, 'utf8').matchAll(/^import '(.*)';$/gm)].map(([, member = '']) => member)
      : [path.replace('dist/test', '..')];
    return { name: `group-${index}`, members };
  });
}
