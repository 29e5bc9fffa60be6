import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The files of the package, as `npm pack` chooses them. */
export function packedFiles(): string[] {
  const npm = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'];
  const answer: unknown = JSON.parse(
    execFileSync('npm', npm, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  const [report] = Object.values(answer as Record<string, { files: { path: string }[] }>);
  return report?.files.map(({ path }) => path) ?? [];
}
