import { posix } from 'node:path';
import { quote } from '../../errors.js';
import type { AskedSite, Problem } from '../generator.js';
import { buildCommand, npmScripts } from './manifests.js';

/** How a site is built: the folder of the built site, the command, and what its owner should know. */
export interface SiteBuild {
  readonly output: string;
  readonly build: string;
  readonly warnings: readonly Problem[];
}

const USUAL_OUTPUT = { hugo: 'public', jekyll: '_site' } as const;

/**
 * The build of a site: by the script `build` where it calls the generator, else by `command`. Where the output folder
 * is outside of the site's folder, another one is taken, which the command names.
 *
 * @param program the generator's program, whose usual output folder is taken.
 * @param own the output folder, as the site's configuration has it.
 * @param setting the name of that setting, such as `publishDir`.
 */
export async function siteBuild(
  site: Pick<AskedSite, 'files' | 'ask'>,
  program: 'hugo' | 'jekyll',
  command: string,
  own: string,
  setting: string,
): Promise<SiteBuild> {
  const script = npmScripts(site.files).build ?? '';
  const isNpm = new RegExp(`(?:^|[\\s/&;])${program}(?:\\s|$)`).test(script);
  const build = isNpm ? await buildCommand(site) : command;
  const inScript = isNpm ? /\s(?:-d|--destination)[ =]["']?([^\s"']+)/.exec(script)?.[1] : undefined;
  const path = posix.normalize((inScript ?? own).replaceAll('\\', '/'));
  if (!/^(?:\/|\.\.(?:\/|$))/.test(path)) return { output: path.replace(/\/$/, ''), build, warnings: [] };
  const output = USUAL_OUTPUT[program];
  const text = `${inScript === undefined ? setting : 'The destination in package.json'} is ${quote(inScript ?? own)}, outside of the site's folder, where Pressmark builds nothing; the builds after each article go to ${quote(`${output}/`)}.`;
  const fix = "Serve that folder, or set deploy: { folder: '…' } in pressmark.config.mjs.";
  return {
    output,
    // Other package managers pass arguments on as they are.
    build: `${build} ${build.startsWith('npm ') ? '-- ' : ''}--destination ${output}`,
    warnings: [{ level: 'warn', text, fix }],
  };
}
