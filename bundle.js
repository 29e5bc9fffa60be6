// Puts the modules of src/ together: to read several hundred files takes longer than most commands. `tsc` has made them.
// `--unbundled` makes files instead that import each module from its own: where a line is measured or is made wrong, it is there once.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build } from 'esbuild';

const FROM = 'dist/src';
const TO = 'dist/pressmark';

/** What is started or imported by its path: the commands, what the package exports, processes and threads. */
const ENTRIES = [
  'cli/main',
  'index',
  'eleventy',
  'astro',
  'testing/testing',
  'app/build/build-process',
  'app/builder/builder-thread',
  'app/content/article-thread',
  'deploy/targets/changed-files-process',
  'deploy/targets/release-process',
  'site/search-process',
];

/**
 * Packages of a hundred files, of which every start and every thread would read all to need a few; their licences go with
 * them. All others stay packages.
 */
const PUT_IN = [
  'zod',
  'htmlparser2',
  'entities',
  'domelementtype',
  'domhandler',
  'domutils',
  'dom-serializer',
];

const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const others = Object.keys({ ...dependencies, ...optionalDependencies }).filter(
  (name) => !PUT_IN.includes(name),
);

rmSync(TO, { recursive: true, force: true });
rmSync('dist/built.txt', { force: true }); // of build.js
if (process.argv.includes('--unbundled')) {
  mkdirSync(TO);
  for (const path of ENTRIES) {
    const hasDefault = readFileSync(`${FROM}/${path}.js`, 'utf8').includes('export default');
    const names = hasDefault ? ['*', '{ default }'] : ['*'];
    const lines = names.map((name) => `export ${name} from '../src/${path}.js';\n`);
    writeFileSync(`${TO}/${basename(path)}.js`, lines.join(''));
  }
  copyFileSync(`${FROM}/cli/bin.cjs`, `${TO}/bin.cjs`);
  process.exit();
}
const { metafile } = await build({
  entryPoints: ENTRIES.map((path) => `${FROM}/${path}.js`),
  outdir: TO,
  // All in one folder, so that `new URL('./x.js', import.meta.url)` is right wherever the line ends up.
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  // A class is the same one for the commands, the threads' messages and a plugin that imports it.
  splitting: true,
  external: others.flatMap((name) => [name, `${name}/*`]),
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
  metafile: true,
});
// What is not among the dependencies is not there when the package is installed, or in another version.
const stowaway = Object.keys(metafile.inputs).find(
  (path) => path.startsWith('node_modules/') && !PUT_IN.includes(path.split('/')[1]),
);
if (stowaway !== undefined)
  throw new Error(`${stowaway} is used, and its package is not among the dependencies`);

copyFileSync(`${FROM}/cli/bin.cjs`, `${TO}/bin.cjs`);
for (const name of PUT_IN) copyFileSync(`node_modules/${name}/LICENSE`, `${TO}/${name}.LICENSE`);
