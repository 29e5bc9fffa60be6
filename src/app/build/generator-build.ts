import fs from 'node:fs';
import type { Settings } from '../../config/load.js';
import { buildFolder, presentOutput } from '../../deploy/build/build-state.js';
import type { PostbuildReport } from '../../deploy/build/postbuild.js';
import { runShellCommand, shellFailure } from '../../deploy/run-shell-command.js';
import { releasesIn } from '../../deploy/targets/folder.js';
import { PressmarkError } from '../../errors.js';
import { createLock, type Lock } from '../../fs/lock.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import type { Generator } from '../../generators/generator.js';
import { generatorOf } from '../content/content.js';
import { foldersOf } from '../content/folders.js';
import { BUILD_VARIABLE, completeSite, isWithinBuild } from './postbuild.js';

/** Options of `buildWithGenerator`. */
export interface GeneratorBuildOptions {
  readonly signal?: AbortSignal;
  /** Called if another build is running, for which this one waits. */
  onWaiting?(): void;
  /** Called with what the build command prints. */
  onOutput?(chunk: Buffer): void;
}

/** The result of a build by the site's own generator. */
export interface GeneratorBuild extends PostbuildReport {
  /** How long the generator took, in milliseconds. */
  readonly ms: number;
}

/**
 * Builds a site with its own generator, then checks and completes the articles' pages. If that fails, the output of the last
 * background build is in its place again.
 *
 * @throws PressmarkError USAGE if the config has no build command, or the command runs this one; CONFIG_INVALID; BUILD_FAILED,
 *   with the end of what the command printed.
 */
export async function buildWithGenerator(
  settings: Settings,
  options: GeneratorBuildOptions = {},
): Promise<GeneratorBuild> {
  const command = buildCommandOf(settings);
  generatorOf(settings); // what is wrong with it must be said before anything is built
  const { dir, environment, output, buildTimeoutMs: timeoutMs } = settings;
  if (isWithinBuild(settings))
    throw new PressmarkError(
      'USAGE',
      `the build command ${JSON.stringify(command)} runs pressmark build, which runs it; set "build" to the generator's own command`,
    );
  const { outputDir, stateDir } = foldersOf(settings);
  const lock = fs.existsSync(buildFolder(stateDir)) ? buildLock(stateDir, TURN_MS) : undefined;
  if (lock !== undefined) await enterInTurn(lock, options);
  // The generator would write through the link, into a checked output that may be deployed.
  const link = presentOutput(stateDir, outputDir) === undefined ? undefined : fs.readlinkSync(outputDir);
  try {
    if (link !== undefined) fs.unlinkSync(outputDir);
    const variables = { [BUILD_VARIABLE]: '1' };
    const result = await runShellCommand({
      ...options,
      command,
      cwd: dir,
      env: environment,
      variables,
      timeoutMs,
    });
    if (result.kind !== 'succeeded')
      throw new PressmarkError('BUILD_FAILED', shellFailure('build command', command, result));
    const { signal } = options;
    return { ms: result.ms, ...(await completeSite(settings, output, { ...(signal && { signal }) })) };
  } catch (error) {
    if (link !== undefined) {
      fs.rmSync(outputDir, { recursive: true, force: true });
      fs.symlinkSync(link, outputDir);
    }
    throw error;
  } finally {
    lock?.leave();
    lock?.close();
  }
}

/** How long to wait for another build, and how long one attempt waits, in milliseconds. */
const LOCK_WAIT_MS = 30 * 60_000;
const TURN_MS = 1_000;

async function enterInTurn(lock: Lock, { signal, onWaiting }: GeneratorBuildOptions): Promise<void> {
  const end = performance.now() + LOCK_WAIT_MS;
  for (let isFirst = true; ; isFirst = false) {
    try {
      await lock.enter();
      return;
    } catch (error) {
      const isBusy = error instanceof PressmarkError && error.code === 'LOCK_TIMEOUT';
      if (!isBusy || performance.now() > end) throw error;
      if (signal?.aborted === true)
        throw new PressmarkError('BUILD_FAILED', 'the build was interrupted', { cause: error });
      if (isFirst) onWaiting?.();
    }
  }
}

/**
 * Allows one build by the site's own generator at a time: by a receiver, by a process that a killed receiver has left, or by
 * hand.
 */
export function buildLock(stateDir: string, timeoutMs = LOCK_WAIT_MS): Lock {
  return createLock({ directory: buildFolder(stateDir), helper: findLockHelper(), timeoutMs });
}

/**
 * The folders that no copy of a site needs: caches, the output, and those of a deploy within the site, which hold former
 * outputs that the generator would take for sources.
 */
export function notCopied({ output, deploy }: Settings, { caches }: Pick<Generator, 'caches'>): string[] {
  return [
    ...caches,
    output,
    ...deploy.flatMap((target) => ('folder' in target ? releasesIn(target.folder) : [])),
  ];
}

/** The command that builds the site. @throws PressmarkError USAGE if the config has none. */
export function buildCommandOf({ build }: Pick<Settings, 'build'>): string {
  if (build !== undefined) return build;
  throw new PressmarkError(
    'USAGE',
    "the config has no build command; set \"build\", such as build: 'npm run build' or build: 'hugo'",
  );
}
