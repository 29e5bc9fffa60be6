import type { Problem, SiteFiles } from '../generator.js';
import { CONTENT_CONFIGS } from './config.js';

/** What stops all builds. */
export function problems(files: SiteFiles): Problem[] {
  const path = CONTENT_CONFIGS.find((name) => files.read(name) !== undefined);
  const text = path === undefined ? '' : (files.read(path) ?? '');
  if (!/\.strict\s*\(|\bstrictObject\s*\(/.test(text) || /\bpressmark\b/.test(text)) return [];
  return [
    {
      level: 'fail',
      text: `A schema in ${path} refuses keys that it does not name, and each article has a key pressmark, so that the build stops.`,
      fix: 'Add pressmark: z.unknown().optional() to the schema of the articles, unless another one is strict.',
    },
  ];
}
