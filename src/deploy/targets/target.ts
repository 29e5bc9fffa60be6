/** The output of a site, complete and checked, as a target is given it. */
export interface DeployOutput {
  /** The folder, absolute, without symbolic links in its path. Nothing in it may be changed. */
  readonly folder: string;
  /** Called with the end of what a command has printed. */
  readonly onPrinted?: (end: string) => void;
}

/** The output that is deployed, as it is now. */
export interface OutputSource {
  /** The folder, without symbolic links; undefined before the first good build. */
  folder(): string | undefined;
  /** Identifies the output: it changes whenever a file of the output changes, and otherwise stays the same if possible. */
  version(): string;
  /** What `version` is made of has changed: Pressmark's own pages, or the commits from which a host builds. */
  onChange?(version: string): void;
}

/** Somewhere that the output of a site is brought to. */
export interface DeployTarget {
  /** What it is called in logs, in `status` and in the state file: `branch gh-pages`, `folder /srv/www/site`. No secret. */
  readonly name: string;
  /** What the log says after a deploy, where that is only the beginning of one. @default 'site deployed' */
  readonly outcome?: string;
  /** How much time lies at least between two deploys, in milliseconds. @default 0 */
  readonly everyMs?: number;
  /** The commits that stand for the output, where the target builds the site from the repository. */
  readonly commits?: OutputSource;
  /**
   * Brings the output there. It may be called again with the same output, and after it was killed at any point.
   *
   * @throws PressmarkError DEPLOY_FAILED, REMOTE_DECLINED; the message says what to do, and holds no secret.
   */
  deploy(output: DeployOutput, signal: AbortSignal): Promise<void>;
}
