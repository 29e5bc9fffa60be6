import { mapOf } from '../../article/plain-data.js';
import { messageOf } from '../../errors.js';
import type { SiteFiles } from '../../generators/generator.js';

/** How to make `pressmark postbuild` run after a site's npm script `build`. */
export type Postbuild =
  /** No npm script builds the site, or the step exists already. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'add'; readonly text: string }
  /** The owner must do it, as `advice` says. */
  | { readonly kind: 'advise'; readonly advice: string };

/**
 * Adds the script `postbuild`, which npm runs after `build`, to the site's package.json, formatted as npm does.
 *
 * @param output the folder of the built site.
 * @param text package.json.
 */
export function addPostbuild(
  files: Pick<SiteFiles, 'read'>,
  output: string,
  text = files.read('package.json'),
): Postbuild {
  if (text === undefined) return { kind: 'nothing' };
  const command = `pressmark postbuild ${/^[\w./-]+$/.test(output) ? output : `'${output}'`}`;
  const advise = (advice: string): Postbuild => ({ kind: 'advise', advice });
  let manifest: unknown;
  try {
    manifest = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const why = messageOf(error).split('\n', 1)[0];
    return advise(
      `package.json is not valid JSON (${why}): correct it, then run pressmark init again, which adds the script "postbuild": "${command}"`,
    );
  }
  const scripts = mapOf(mapOf(manifest).scripts);
  const { build, postbuild } = scripts;
  if (typeof build !== 'string' || /\bpressmark (?:post)?build\b/.test(`${build} ${String(postbuild)}`))
    return { kind: 'nothing' };
  if (postbuild !== undefined)
    return advise(`package.json has a script "postbuild" already: add to its end: && ${command}`);
  const manager = withoutPostScripts(files, text);
  if (manager !== undefined)
    return advise(
      `${manager} does not run "postbuild" scripts: add to the end of the script "build" in package.json: && ${command}`,
    );
  const added = Object.entries(scripts).flatMap((entry) =>
    entry[0] === 'build' ? [entry, ['postbuild', command]] : [entry],
  );
  return { kind: 'add', text: inFormOf(text, { ...mapOf(manifest), scripts: Object.fromEntries(added) }) };
}

/** The package manager of a site, if it does not run the script `postbuild` after `build`: Yarn from 2 on, pnpm before 9. */
function withoutPostScripts(files: Pick<SiteFiles, 'read'>, text: string): string | undefined {
  if (files.read('.yarnrc.yml') !== undefined || /"packageManager"\s*:\s*"yarn@(?:[2-9]|\d\d)/.test(text))
    return 'Yarn';
  const lock = files.read('pnpm-lock.yaml');
  return lock !== undefined && /^lockfileVersion: '?[5-8]\b/m.test(lock)
    ? 'pnpm before version 9'
    : undefined;
}

/** JSON with the indentation and line endings of another text, as npm does. */
function inFormOf(text: string, value: unknown): string {
  const [, lineEnd = '\n', indent = ''] = /^\s*\{(\r?\n)+([ \t]+)/.exec(text.replace(/^\ufeff/, '')) ?? [];
  const [end = ''] = /\s*$/.exec(text) ?? [];
  return JSON.stringify(value, null, indent).replaceAll('\n', lineEnd) + end;
}
