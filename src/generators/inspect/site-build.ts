import { posix } from 'node:path';
import { parseArgs } from 'node:util';
import { quote } from '../../errors.js';
import type { AskedSite, Problem } from '../generator.js';
import { argumentsOf, npmScripts, packageManager } from './manifests.js';

/** The parts of a site that its build command depends on. */
export type BuildSite = Pick<AskedSite, 'files' | 'ask'>;

/**
 * The command that builds a site: a script of package.json that calls the generator, otherwise the given command.
 *
 * @param calls matches such a script.
 * @param names the names of scripts, the likeliest first.
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

/** The command that runs a script of package.json: with the site's package manager, or with npm if that is not installed. */
export async function scriptCommand({ files, ask }: BuildSite, script: string): Promise<string> {
  const manager = packageManager(files);
  const isThere = manager === 'npm' || Boolean((await ask(`command -v ${manager} || true`))?.trim());
  return `${isThere ? manager : 'npm'} run ${script}`;
}

/** Adds an argument to a build command. */
export function withArgument(command: string, argument: string): string {
  // Other package managers pass arguments on without `--`.
  return `${command}${command.startsWith('npm run ') ? ' --' : ''} ${argument}`;
}

/** The build of a site: the output folder, the command, and warnings for the owner. */
export interface SiteBuild {
  readonly output: string;
  readonly build: string;
  readonly warnings: readonly Problem[];
}

const USUAL_OUTPUT = { hugo: 'public', jekyll: '_site' } as const;

/**
 * The build of a site. If the configured output folder is outside the site's folder, the command names another one.
 *
 * @param program the generator's program.
 * @param command the build, unless the script `build` calls the program.
 * @param configured the output folder in the site's configuration.
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
  const text = `${inScript === undefined ? setting : 'The destination in package.json'} is ${quote(inScript ?? configured)}, outside the site’s folder, where Pressmark does not build; it builds into ${quote(`${output}/`)} instead.`;
  const fix = "Serve that folder, or set deploy: { folder: '…' } in pressmark.config.mjs.";
  return {
    output,
    build: withArgument(build, `--destination ${output}`),
    warnings: [{ level: 'warn', text, fix }],
  };
}
