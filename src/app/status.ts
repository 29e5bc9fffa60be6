import type { Settings } from '../config/load.js';
import { type ExcludedArticle, readBuildState } from '../deploy/build/build-state.js';
import { type DeployState, readDeployState } from '../deploy/deploy-queue.js';
import { readStages, type StagesStatus } from '../deploy/stages.js';
import { foldersOf } from './content/folders.js';

// For the command, which knows the app alone.
export { STAGES, type Stage, type StageStatus } from '../deploy/stages.js';

/** How the articles of a site stand on their way to the reader, as its receiver has noted it. */
export interface SiteStatus {
  /** Undefined where no receiver has run yet. */
  readonly stages: StagesStatus | undefined;
  /** The articles that are left out because they break the build. */
  readonly excluded: readonly ExcludedArticle[];
  /** Why the last build failed. */
  readonly buildFailure: { readonly at: string; readonly reason: string } | undefined;
  /** How each target of `deploy` stands, by its name. */
  readonly targets: DeployState;
}

/** Reads how a site stands; it asks no receiver, so that it also answers where none runs. */
export function siteStatus(settings: Settings): SiteStatus {
  const { stateDir } = foldersOf(settings);
  const { excluded, failure } = readBuildState(stateDir);
  return {
    stages: readStages(stateDir)?.status,
    excluded,
    buildFailure: failure,
    targets: readDeployState(stateDir),
  };
}
