import type { Problem, SiteFiles, SiteSettings } from '../generator.js';
import { CONFIG_FILES } from './config.js';

/** What leaks Pressmark's configuration, or stops all builds. */
export function problems(files: SiteFiles, { content }: Pick<SiteSettings, 'content'>): Problem[] {
  const isIgnored = CONFIG_FILES.some((name) => /ignoreFiles[\s\S]*pressmark/i.test(files.read(name) ?? ''));
  if (content.replace(/\/$/, '') !== '.' || isIgnored) return [];
  return [
    {
      level: 'fail',
      text: 'contentDir is the folder of the site itself; Hugo would publish pressmark.config.mjs and stop at package.json.',
      fix: `Add 'pressmark\\.config\\.', 'package(-lock)?\\.json$', '/node_modules/' and '/plugins/' to ignoreFiles, or set contentDir to a folder of its own.`,
    },
  ];
}
