import { posix } from 'node:path';
import { quote } from '../errors.js';
import type { Problem } from './generator.js';

/** Whether a folder that a site's configuration names is outside of the site's folder, where Pressmark writes nothing. */
export function isOutside(folder: string): boolean {
  const path = posix.normalize(folder.replaceAll('\\', '/'));
  return posix.isAbsolute(path) || path === '..' || path.startsWith('../');
}

/** The output folder of a site, and the command that writes it. */
export interface Output {
  readonly output: string;
  readonly build: string;
  readonly warnings: readonly Problem[];
}

const USUAL_OUTPUT = { hugo: 'public', jekyll: '_site' } as const;

/**
 * The output folder for `init`: where the site's own one is outside of its folder, another one, which the build command
 * names.
 *
 * @param own the site's own output folder, as its configuration has it.
 * @param source what names it, such as `publishDir in hugo.toml`.
 * @param program the generator's program, whose usual output folder is taken.
 */
export function outputInside(own: string, source: string, program: 'hugo' | 'jekyll', build: string): Output {
  if (!isOutside(own)) return { output: own, build, warnings: [] };
  const usual = USUAL_OUTPUT[program];
  const flag = `${/^npm\s/.test(build) ? '-- ' : ''}--destination ${usual}`;
  return {
    output: usual,
    build: `${build} ${flag}`,
    warnings: [
      {
        level: 'warn',
        text: `${source} is ${quote(own)}, outside of the site's folder, where Pressmark builds nothing; the builds after each article go to ${quote(`${usual}/`)}.`,
        fix: "Serve that folder, or set deploy: { folder: '…' } in pressmark.config.mjs.",
      },
    ],
  };
}
