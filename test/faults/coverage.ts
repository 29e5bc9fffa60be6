// Prints what `npm run coverage` has measured, by rooms of src/.
import fs from 'node:fs';
import { join, relative } from 'node:path';

type Part = 'lines' | 'branches';
type Figures = Readonly<Record<Part, { readonly total: number; readonly covered: number }>>;

const summary: Readonly<Record<string, Figures>> = JSON.parse(
  fs.readFileSync('coverage/coverage-summary.json', 'utf8'),
);
const files = Object.entries(summary)
  .filter(([path]) => path !== 'total')
  .map(([path, figures]) => ({ path: relative('src', path), figures }))
  .filter(({ path }) => hasCode(path));
const roomOf = (path: string) => (path.includes('/') ? path.split('/', 1)[0] : 'src');

console.log('| room | lines | branches |\n|---|--:|--:|');
for (const room of [...new Set(files.map(({ path }) => roomOf(path)))].sort())
  print(
    room,
    files.filter(({ path }) => roomOf(path) === room),
  );
print('all', files);

/** A module of types alone is never loaded. */
function hasCode(path: string): boolean {
  return !fs.readFileSync(join('dist/src', path.replace(/ts$/, 'js')), 'utf8').startsWith('export {};');
}

function print(name: string | undefined, of: typeof files): void {
  const sum = (part: Part, count: 'total' | 'covered') =>
    of.reduce((all, { figures }) => all + figures[part][count], 0);
  const share = (part: Part) => `${((100 * sum(part, 'covered')) / sum(part, 'total')).toFixed(1)} %`;
  console.log(`| ${name} | ${share('lines')} | ${share('branches')} |`);
}
