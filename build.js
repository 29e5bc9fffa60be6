// `npm run build`, with which most commands begin: compiles and bundles, unless no source has changed since the last time.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

const BUILT = 'dist/built.txt';
const OF_PACKAGES = /^(?:node_modules|tools)$/;

/** Everything that the build reads, with the time of its last change. */
function sourcesBelow(path) {
  const stat = statSync(path);
  const names = stat.isDirectory() ? readdirSync(path).filter((name) => !OF_PACKAGES.test(name)) : [];
  return [
    `${path} ${stat.mtimeMs} ${stat.size}`,
    ...names.sort().flatMap((name) => sourcesBelow(`${path}/${name}`)),
  ];
}

const all = ['src', 'test', 'tsconfig.json', 'package.json', 'package-lock.json', 'build.js', 'bundle.js'];
const sources = createHash('sha256').update(all.flatMap(sourcesBelow).join('\n')).digest('hex');
const isBuilt = [BUILT, 'dist/pressmark/bin.cjs', 'dist/pressmark/main.js'].every(existsSync);
if (!isBuilt || readFileSync(BUILT, 'utf8') !== sources) {
  rmSync(BUILT, { force: true });
  const { status, error } = spawnSync('node_modules/.bin/tsc', ['--build'], { stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(1); // tsc has said why
  await import('./bundle.js');
  writeFileSync(BUILT, sources);
}
