import type { Problem, SiteFiles } from '../generator.js';
import { configPath } from './config.js';

/** What leaks a secret. */
export function problems(files: SiteFiles): Problem[] {
  const path = configPath(files) ?? '_config.yml';
  const include =
    /^include\s*[:=]([^\n]*(?:\n[ \t]*-[^\n]*|\n[ \t]+[^\n]*)*)/m.exec(files.read(path) ?? '')?.[1] ?? '';
  if (!/(?:^|[\s[,"'-])(?:\.env|\.?\*)(?:$|[\s\],"'])/.test(include)) return [];
  return [
    {
      level: 'fail',
      text: `include in ${path} publishes .env, which holds the signing secret.`,
      fix: 'Remove that entry from include, or add .env to exclude and remove it from include.',
    },
  ];
}
