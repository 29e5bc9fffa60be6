import fs from 'node:fs';
import { basename, join } from 'node:path';
import { writeAtomically } from '../../fs/atomic-write.js';
import { presentRelease } from '../releases.js';

/**
 * An article that is not in the site's output, or is there with its last good text, because the build failed with it or its
 * front matter is malformed.
 */
export interface ExcludedArticle {
  /** Its file, relative to the site's folder, with forward slashes. */
  readonly path: string;
  /** The digest of the text that is not built. */
  readonly digest: string;
  /** The end of what the failed build printed, or what is wrong with the front matter. */
  readonly reason: string;
  /** Whether the front matter is malformed; the build was not tried with the article then. @default false */
  readonly isMalformed?: boolean;
  /** Whether the output has the article with the text before. */
  readonly hasPrevious: boolean;
  /** When it was excluded, ISO 8601. */
  readonly since: string;
}

/** What a build leaves for the next one, for `status` and for `doctor`. */
export interface BuildState {
  /** The last build that gave an output; undefined before the first one. */
  readonly good?: {
    /** When it began, ISO 8601. */
    readonly at: string;
    /** The name of the output's folder; it is new if the build has changed a file. */
    readonly output: string;
    /** What the state of the site was known by; see `SiteCopy.sync`. */
    readonly version: string;
  };
  readonly excluded: readonly ExcludedArticle[];
}

const NAME = 'build.json';

/** Where builds keep what they need, below the state folder. */
export function buildFolder(stateDir: string): string {
  return join(stateDir, 'build');
}

/** The outputs of the last builds; the output folder of the site is a symbolic link to one of them. */
export function outputsFolder(stateDir: string): string {
  return join(buildFolder(stateDir), 'outputs');
}

/**
 * The name of the output to which a path leads; undefined where it leads to none of a background build. After a crash it may
 * be newer than the last good build of the state.
 */
export function presentOutput(stateDir: string, path: string): string | undefined {
  const output = presentRelease(outputsFolder(stateDir), path);
  return output && basename(output);
}

/** The state that the last build has left. One that cannot be read counts as none: the site is built again then. */
export function readBuildState(stateDir: string): BuildState {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(join(buildFolder(stateDir), NAME), 'utf8'));
    if (typeof value === 'object' && value !== null && 'excluded' in value && Array.isArray(value.excluded))
      return value as BuildState;
  } catch {
    // There is none, or a full disk has cut it off.
  }
  return { excluded: [] };
}

/** Keeps the state of a build, durably. */
export async function writeBuildState(stateDir: string, state: BuildState): Promise<void> {
  fs.mkdirSync(buildFolder(stateDir), { recursive: true });
  await writeAtomically(join(buildFolder(stateDir), NAME), `${JSON.stringify(state)}\n`);
}
