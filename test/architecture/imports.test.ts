import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const SOURCE = fileURLToPath(new URL('../../../src', import.meta.url));

/** Which part of src may import which (docs: design). A part is a folder of src, or a file directly in src. */
const ALLOWED: Record<string, readonly string[]> = {
  errors: [],
  log: ['errors'],
  'child-environment': [],
  'time-limit': [],
  'repeated-task': [],
  'moved-clock': [],
  'own-package': [],
  contract: ['errors'],
  fs: ['child-environment', 'errors'],
  config: ['contract', 'child-environment', 'time-limit', 'errors'],
  article: ['contract', 'errors'],
  host: ['article', 'fs', 'log', 'time-limit', 'own-package', 'errors'],
  generators: ['article', 'errors'],
  store: ['article', 'generators', 'contract', 'fs', 'log', 'repeated-task', 'errors'],
  admin: ['host', 'log', 'own-package', 'errors'],
  webhook: ['contract', 'article', 'store', 'host', 'log', 'time-limit', 'errors'],
  site: ['article', 'store', 'fs', 'host', 'child-environment', 'log', 'time-limit', 'own-package', 'errors'],
  git: [
    'article',
    'store',
    'host',
    'fs',
    'child-environment',
    'log',
    'time-limit',
    'repeated-task',
    'errors',
  ],
  deploy: ['generators', 'article', 'store', 'git', 'host', 'fs', 'child-environment', 'log', 'errors'],
  sender: ['contract', 'article', 'fs', 'log', 'errors'],
  conformance: ['contract', 'sender', 'log', 'errors'],
  app: [
    'moved-clock',
    'own-package',
    'errors',
    'log',
    'time-limit',
    'child-environment',
    'contract',
    'fs',
    'config',
    'article',
    'host',
    'admin',
    'generators',
    'store',
    'webhook',
    'site',
    'git',
    'deploy',
  ],
  index: ['app', 'host', 'article', 'errors'],
  eleventy: ['app', 'errors'],
  astro: ['app', 'article', 'generators', 'fs', 'errors'],
  testing: ['app', 'host', 'article', 'config', 'contract', 'log', 'moved-clock', 'errors'],
  cli: ['app', 'sender', 'conformance', 'config', 'log', 'child-environment', 'own-package', 'errors'],
};

const files = fs
  .readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll('\\', '/'))
  .sort();

const text = (file: string) => fs.readFileSync(join(SOURCE, file), 'utf8');
const partOf = (file: string) => file.split('/', 1)[0]?.replace(/\.ts$/, '') ?? '';

/** The files of src that a file imports or re-exports, including type imports and worker files. */
function importsOf(file: string): string[] {
  const pattern =
    /(?:\bfrom|\bimport)\s*\(?\s*'(\.{1,2}\/[^']+)'|new URL\('(\.{1,2}\/[^']+\.js)', import\.meta\.url\)/g;
  return [...text(file).matchAll(pattern)].map(([, path, worker]) => {
    const target = join(SOURCE, dirname(file), (path ?? worker ?? '').replace(/\.js$/, '.ts'));
    return relative(SOURCE, target).replaceAll('\\', '/');
  });
}

test('within the site, the index knows neither planners nor templates, and templates no planners', (t) => {
  const order = ['site/index', 'site/render', 'site/outputs', 'site/builder'];
  const rank = (file: string) => order.indexOf(dirname(file));
  for (const file of files.filter((one) => rank(one) !== -1))
    for (const target of importsOf(file)) t.true(rank(target) <= rank(file), `${file} imports ${target}`);
});

test('a part imports only what the table allows', (t) => {
  for (const file of files) {
    const part = partOf(file);
    const allowed = ALLOWED[part];
    t.truthy(allowed, `${part} is not in the table`);
    for (const target of importsOf(file)) {
      const other = partOf(target);
      if (other === part) continue;
      t.true(allowed?.includes(other), `${file} imports ${target}`);
    }
  }
});

/** What reads or compares a whole article, whatever its length. */
const ONLY_IN_THE_THREAD = [
  'app/articles/person/compare.ts',
  'app/articles/person/entered.ts',
  'webhook/events/read-incoming.ts',
];

test('what reads a whole article is imported by the thread of articles alone', (t) => {
  const importers = (of: RegExp) =>
    files.filter((file) =>
      text(file)
        .split(/^(?=import)/m)
        .some((line) => !/^import type/.test(line) && of.test(line)),
    );
  for (const file of ONLY_IN_THE_THREAD) {
    const name = file.slice(file.lastIndexOf('/'), -'.ts'.length);
    t.deepEqual(
      importers(new RegExp(`^import [^;]* from '[^']*${name}\\.js'`)),
      ['app/content/article-thread.ts'],
      file,
    );
  }
  const differs = files.filter((file) => /import \{[^}]*\} from 'diff'|\('diff'\)/.test(text(file)));
  t.deepEqual(differs, ['app/articles/person/compare.ts', 'app/init/changes.ts']);
});

test('no folder holds more than twenty files side by side', (t) => {
  const sizes = new Map<string, number>();
  for (const file of files) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
  for (const [folder, size] of sizes) t.true(size <= 20, `src/${folder} has ${size} files`);
});

/** The circles in a graph, each as its way round. */
function circlesIn(nodes: Iterable<string>, targetsOf: (node: string) => Iterable<string>): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (node: string, path: readonly string[]): void => {
    const at = path.indexOf(node);
    if (at !== -1) circles.push([...path.slice(at), node].join(' -> '));
    if (at !== -1 || done.has(node)) return;
    for (const target of targetsOf(node)) visit(target, [...path, node]);
    done.add(node);
  };
  for (const node of nodes) visit(node, []);
  return circles;
}

test('there are no circular imports', (t) => {
  t.deepEqual(circlesIn(files, importsOf), []);
});

test('the folders of git and of the store import each other in one direction', (t) => {
  const folders = new Map<string, Set<string>>();
  for (const file of files.filter((one) => ['git', 'store'].includes(partOf(one)))) {
    const targets = folders.get(dirname(file)) ?? new Set();
    for (const folder of importsOf(file).map((target) => dirname(target)))
      if (folder !== dirname(file)) targets.add(folder);
    folders.set(dirname(file), targets);
  }
  t.true(folders.size >= 6);
  t.deepEqual(
    circlesIn(folders.keys(), (folder) => folders.get(folder) ?? []),
    [],
  );
});

test('only config, and what hands it on to other programs, reads the environment', (t) => {
  const readers = files.filter((file) =>
    /\bprocess\.env\b|'node:process'|\{[^}]*\benv\b[^}]*\} = process\b/.test(text(file)),
  );
  t.deepEqual(
    readers.filter((file) => partOf(file) !== 'config'),
    ['child-environment.ts'],
  );
});

test('whoever starts a program decides its environment by childEnvironment', (t) => {
  const starters = files.filter((file) =>
    /import \{[^}]*\b(?:spawn|spawnSync|fork|exec|execSync|execFile|execFileSync)\b[^}]*\} from 'node:child_process'/.test(
      text(file),
    ),
  );
  t.true(starters.length > 0);
  // A receiver that `start --watch` starts, and the doctor that the admin asks, are Pressmark itself.
  const itself = ['cli/watch.ts', 'app/doctor/doctor-process.ts'];
  for (const file of starters)
    t.true(itself.includes(file) || text(file).includes('childEnvironment('), file);
});

test('every exported function, class and interface of src has a docstring', (t) => {
  for (const file of files) {
    const lines = text(file).split('\n');
    for (const [n, line] of lines.entries()) {
      if (!/^export (?:async )?(?:function|class|interface)/.test(line)) continue;
      if (/^export interface \w+Options /.test(line)) continue; // the function with these options has the docstring
      t.true(lines[n - 1]?.trimEnd().endsWith('*/'), `${file}:${n + 1} ${line}`);
    }
  }
});
