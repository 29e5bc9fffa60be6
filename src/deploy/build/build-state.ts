import fs from 'node:fs';
import { basename, join } from 'node:path';
import { writeAtomically } from '../../fs/atomic-write.js';
import { presentRelease } from '../releases.js';

/**
 * An article that is missing in the site's output, or is there with its last good text, because the build fails with it or its
 * front matter is malformed.
 */
export interface ExcludedArticle {
  /** Its file, relative to the site's folder, with forward slashes. */
  readonly path: string;
  /** The digest of the text that is not built. */
  readonly digest: string;
  /** The end of the failed build's output, or the error in the front matter. */
  readonly reason: string;
  /** Whether the front matter is malformed; then the build was not tried with the article. @default false */
  readonly isMalformed?: boolean;
  /** Whether the output has the article with its earlier text. */
  readonly hasPrevious: boolean;
  /** When it was excluded, ISO 8601. */
  readonly since: string;
}

/** The state that a build saves for the next one, for `status` and for `doctor`. */
export interface BuildState {
  /** The last good build; undefined before the first one. */
  readonly good?: {
    /** The name of the output's folder; a new one if the build changed a file. */
    readonly output: string;
    /** The version of the site; see `SiteCopy.sync`. */
    readonly version: string;
    /** See `BuildWish`. */
    readonly lastStateChange: number;
  };
  readonly excluded: readonly ExcludedArticle[];
}

const NAME = 'build.json';

/** The folder of builds in the state folder. */
export function buildFolder(stateDir: string): string {
  return join(stateDir, 'build');
}

/** The folder of the last builds' outputs. The site's output folder is a symbolic link to one of them. */
export function outputsFolder(stateDir: string): string {
  return join(buildFolder(stateDir), 'outputs');
}

/**
 * The name of the output that a path links to; undefined if it is not a background build's. After a crash it may be newer than
 * the last good build in the state.
 */
export function presentOutput(stateDir: string, path: string): string | undefined {
  const output = presentRelease(outputsFolder(stateDir), path);
  return output && basename(output);
}

/** Reads the state of the last build. An unreadable file counts as missing, and the site is built again. */
export function readBuildState(stateDir: string): BuildState {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(join(buildFolder(stateDir), NAME), 'utf8'));
    if (typeof value === 'object' && value !== null && 'excluded' in value && Array.isArray(value.excluded))
      return value as BuildState;
  } catch {
    // There is no file, or a full disk has cut it off.
  }
  return { excluded: [] };
}

/** Writes the state of a build durably. */
export async function writeBuildState(stateDir: string, state: BuildState): Promise<void> {
  fs.mkdirSync(buildFolder(stateDir), { recursive: true });
  await writeAtomically(join(buildFolder(stateDir), NAME), `${JSON.stringify(state)}\n`);
}
