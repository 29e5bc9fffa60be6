/** A setting in force, and where it comes from. */
export interface SetSetting {
  /** Such as `site.title`. */
  readonly name: string;
  /** As JSON. */
  readonly value: string;
  readonly from: 'default' | 'config' | 'environment' | 'command line';
}

/** How the service is connected. */
export interface Setup {
  /** The site's public address. */
  readonly siteUrl: string;
  /** The path that the service posts to. */
  readonly endpoint: string;
  /** The name of the header with the signature. */
  readonly signatureHeader: string;
  readonly secret: {
    /** The last four characters of the newest one. */
    readonly end: string;
    /** Until when the earlier secrets are accepted, ISO 8601; undefined if there are none. */
    readonly oldUntil: string | undefined;
    /** Whether the environment sets it, which overrides `.env`. */
    readonly isFromEnvironment: boolean;
  };
  /** The last connection test, ISO 8601; undefined before the first. */
  readonly testedAt: string | undefined;
  readonly settings: readonly SetSetting[];
}

/** How a receiver is set up, for the admin: `host.use('setup')`. */
export interface SetupService {
  now(): Setup;
  /**
   * Sets a new signing secret, which applies at once. Earlier secrets are accepted for another day.
   *
   * @param given the secret that the service has set. @default a random one
   * @returns the secret.
   * @throws PressmarkError USAGE if the value is not allowed, or the environment sets the secret.
   */
  renewSecret(given?: string): Promise<string>;
}
