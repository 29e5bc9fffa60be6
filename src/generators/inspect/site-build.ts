import { posix } from 'node:path';
import { parseArgs } from 'node:util';
import { quote } from '../../errors.js';
import type { AskedSite, Problem } from '../generator.js';
import { argumentsOf, npmScripts, packageManager } from './manifests.js';

/** A site as far as its build command is concerned. */
export type BuildSite = Pick<AskedSite, 'files' | 'ask'>;

/**
 * The command that builds a site: a script of package.json that calls the generator, else the given command.
 *
 * @param calls what such a script has.
 * @param names of scripts, the likeliest first.
 */
export async function buildCommand(
  site: BuildSite,
  calls: RegExp,
  command: string,
  names: readonly string[] = ['build'],
): Promise<string> {
  const scripts = npmScripts(site.files);
  const script = names.find((name) => calls.test(scripts[name] ?? ''));
  return script === undefined ? command : await scriptCommand(site, script);
}

/** The command that runs a script of package.json: by the site's package manager, or by npm where that is not installed. */
export async function scriptCommand({ files, ask }: BuildSite, script: string): Promise<string> {
  const manager = packageManager(files);
  const isThere = manager === 'npm' || Boolean((await ask(`command -v ${manager} || true`))?.trim());
  return `${isThere ? manager : 'npm'} run ${script}`;
}

/** A build command with one more argument. */
export function withArgument(command: string, argument: string): string {
  // Other package managers pass arguments on as they are.
  return `${command}${command.startsWith('npm run ') ? ' --' : ''} ${argument}`;
}

/** How a site is built: the folder of the built site, the command, and what its owner should know. */
export interface SiteBuild {
  readonly output: string;
  readonly build: string;
  readonly warnings: readonly Problem[];
}

const USUAL_OUTPUT = { hugo: 'public', jekyll: '_site' } as const;

/**
 * The build of a site whose output folder may be outside of the site's folder. Then another one is taken, which the command
 * names.
 *
 * @param program the generator's program, whose usual output folder is taken.
 * @param command the build, unless the script `build` calls the program.
 * @param configured the output folder, as the site's configuration has it.
 * @param setting the name of that setting, such as `publishDir`.
 */
export async function buildInSite(
  site: BuildSite,
  program: 'hugo' | 'jekyll',
  command: string,
  configured: string,
  setting: string,
): Promise<SiteBuild> {
  const args = argumentsOf(npmScripts(site.files).build ?? '', new RegExp(`(?:^|/)${program}$`));
  const build = args === undefined ? command : await scriptCommand(site, 'build');
  const destination = { type: 'string', short: 'd' } as const;
  const { values } = parseArgs({ args: [...(args ?? [])], strict: false, options: { destination } });
  const inScript = typeof values.destination === 'string' ? values.destination : undefined;
  const path = posix.normalize((inScript ?? configured).replaceAll('\\', '/'));
  if (!/^(?:\/|\.\.(?:\/|$))/.test(path)) return { output: path.replace(/\/$/, ''), build, warnings: [] };
  const output = USUAL_OUTPUT[program];
  const text = `${inScript === undefined ? setting : 'The destination in package.json'} is ${quote(inScript ?? configured)}, outside of the site's folder, where Pressmark builds nothing; the builds after each article go to ${quote(`${output}/`)}.`;
  const fix = "Serve that folder, or set deploy: { folder: '…' } in pressmark.config.mjs.";
  return {
    output,
    build: withArgument(build, `--destination ${output}`),
    warnings: [{ level: 'warn', text, fix }],
  };
}
