import { resolve } from 'node:path';
import type { Settings } from '../config/load.js';

/** The folders of a site, absolute. */
export function foldersOf({
  dir,
  content,
  output,
  templates,
}: Pick<Settings, 'dir' | 'content' | 'output' | 'templates'>) {
  return {
    contentDir: resolve(dir, content),
    outputDir: resolve(dir, output),
    templatesDir: resolve(dir, templates),
    stateDir: resolve(dir, '.pressmark'),
  };
}
