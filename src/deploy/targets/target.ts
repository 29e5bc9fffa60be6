/** The complete and checked output of a site, for a target. */
export interface DeployOutput {
  /** The folder, absolute, without symbolic links in its path. Nothing in it may be changed. */
  readonly folder: string;
  /** Called with the end of a command's output. */
  readonly onPrinted?: (end: string) => void;
}

/** The source of the output to deploy. */
export interface OutputSource {
  /** The folder, without symbolic links; undefined before the first good build. */
  folder(): string | undefined;
  /** Identifies the output: it changes whenever a file of the output changes, and otherwise stays the same if possible. */
  version(): string;
  /** Called after a change of the output: of Pressmark's own pages, or of the commits that a host builds from. */
  onChange?(version: string): void;
}

/** A target of deploys. */
export interface DeployTarget {
  /**
   * The name in logs, in `status` and in the state file, such as `branch gh-pages` or `folder /srv/www/site`. It holds no
   * secret.
   */
  readonly name: string;
  /** The log message after a deploy, for a target that only starts one. @default 'site deployed' */
  readonly outcome?: string;
  /** The shortest interval between two deploys, in milliseconds. @default 0 */
  readonly everyMs?: number;
  /** The commits that stand for the output, if the target builds the site from the repository. */
  readonly commits?: OutputSource;
  /**
   * Deploys an output. It may be called again with the same output, and after a kill at any point.
   *
   * @throws PressmarkError DEPLOY_FAILED, REMOTE_DECLINED; the message says what to do and holds no secret.
   */
  deploy(output: DeployOutput, signal: AbortSignal): Promise<void>;
}
