import { isMap, isScalar, parseDocument } from 'yaml';
import { messageOf } from '../../errors.js';

/** What is to be done so that `pressmark postbuild` runs after a site's npm script `build`. */
export type Postbuild =
  /** No npm script builds the site, or the step is there already. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'add'; readonly text: string }
  /** The owner must do it; `advice` says why and what. */
  | { readonly kind: 'advise'; readonly advice: string };

/**
 * Adds the script `postbuild`, which npm runs after `build`, to a package.json. All else in it is byte for byte as
 * it was.
 *
 * @param text package.json.
 * @param output the folder of the built site.
 * @param runsPostScripts whether the site's package manager runs `postbuild` after `build`; Yarn from version 2 does not.
 */
export function addPostbuild(text: string, output: string, runsPostScripts: boolean): Postbuild {
  const command = `pressmark postbuild ${/^[\w./-]+$/.test(output) ? output : `'${output}'`}`;
  let manifest: unknown;
  try {
    manifest = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const why = messageOf(error).split('\n', 1)[0];
    return {
      kind: 'advise',
      advice: `package.json is not valid JSON (${why}): correct it, then run pressmark init again, which adds the script "postbuild": "${command}"`,
    };
  }
  const scripts = scriptsOf(manifest);
  const { build, postbuild } = scripts;
  if (build === undefined) return { kind: 'nothing' };
  if (/\bpressmark (?:post)?build\b/.test(`${build} ${postbuild ?? ''}`)) return { kind: 'nothing' };
  if (postbuild !== undefined)
    return {
      kind: 'advise',
      advice: `package.json has a script "postbuild" already: add to its end: && ${command}`,
    };
  if (!runsPostScripts)
    return {
      kind: 'advise',
      advice: `Yarn does not run "postbuild" scripts: add to the end of the script "build" in package.json: && ${command}`,
    };
  return { kind: 'add', text: insertAfterBuild(text, command) };
}

function scriptsOf(manifest: unknown): { build?: string; postbuild?: string } {
  const scripts =
    typeof manifest === 'object' && manifest !== null && 'scripts' in manifest ? manifest.scripts : undefined;
  if (typeof scripts !== 'object' || scripts === null) return {};
  return {
    ...('build' in scripts && typeof scripts.build === 'string' && { build: scripts.build }),
    ...('postbuild' in scripts && { postbuild: String(scripts.postbuild) }),
  };
}

/** JSON is YAML, whose parser knows where in the text each value ends. */
function insertAfterBuild(text: string, command: string): string {
  const scripts = parseDocument(text, { schema: 'json', uniqueKeys: false }).get('scripts', true);
  const pair = isMap(scripts)
    ? scripts.items.findLast(({ key }) => isScalar(key) && key.value === 'build')
    : undefined;
  if (!isScalar(pair?.key) || !isScalar(pair.value) || !pair.key.range || !pair.value.range)
    throw new Error('the script "build" has no place in package.json');
  const [keyStart, keyEnd] = pair.key.range;
  const [valueStart, valueEnd] = pair.value.range;
  const [indent = ''] = /\s*$/.exec(text.slice(0, keyStart)) ?? [];
  const colon = text.slice(keyEnd, valueStart);
  return `${text.slice(0, valueEnd)},${indent}"postbuild"${colon}${JSON.stringify(command)}${text.slice(valueEnd)}`;
}

/** Whether a site's package manager runs the script `postbuild` after `build`: npm, pnpm, Bun and Yarn 1 do. */
export function runsPostScripts(manifest: string, hasYarnrcYml: boolean): boolean {
  return !hasYarnrcYml && !/"packageManager"\s*:\s*"yarn@(?:[2-9]|\d\d)/.test(manifest);
}
