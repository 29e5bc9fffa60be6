import type { HealthFinding } from './health.js';

/** A delivery whose signature was right, or a request that an adapter has verified. */
export interface DeliveryRecord {
  /** Identifies the record; needs no escapes in a URL. */
  readonly key: string;
  /** When it was answered, ISO 8601. */
  readonly at: string;
  /** Such as `article.published`; null for an adapter's request, or if the body could not be read. */
  readonly event: string | null;
  /** The plugin whose adapter received it; null for the webhook. */
  readonly adapter: string | null;
  /** The id that was sent; null if there is none. */
  readonly id: string | null;
  /** The public URL of the article; null if the answer has none. */
  readonly url: string | null;
  /** Such as `stored`, `known` or `found`, or a code of the error table. */
  readonly outcome: string;
  readonly status: number;
  /** The time it took to answer. */
  readonly ms: number;
}

/** Which deliveries to return; all conditions must hold. */
export interface DeliveryQuery {
  /** The highest number of deliveries, from the newest on. @default 50 */
  readonly limit?: number;
  readonly event?: string;
  readonly id?: string;
  /** Whether they were refused. */
  readonly refused?: boolean;
  readonly status?: number;
  /** Text to find in the id, URL, event, outcome or adapter's name, ignoring case. */
  readonly text?: string;
}

/** A header; its value is null if it may be a credential, such as a signature or a cookie. */
export interface KeptHeader {
  readonly name: string;
  readonly value: string | null;
}

/** Everything that is kept of one delivery. */
export interface DeliveryDetail extends DeliveryRecord {
  /** In order; empty if they are no longer kept. */
  readonly headers: readonly KeptHeader[];
  /** The raw bytes; null if they are no longer kept. Foreign text: escape it. */
  readonly body: Buffer | null;
  /** The body of the answer; null if it is no longer kept. */
  readonly answer: string | null;
}

/** The answer that a delivery would get if it came again now. */
export interface DryRun {
  readonly status: number;
  /** JSON. */
  readonly body: string;
  /** The outcome, or the code of the error table. */
  readonly outcome: string;
  readonly event: string | null;
  readonly id: string | null;
  /** The plugins whose filters were not run, although they might change, hold or refuse the article. */
  readonly unasked: readonly string[];
}

/** The number of requests that could not be verified since the previous record. Nothing that they sent is kept. */
export interface RefusedRequests {
  /** ISO 8601. */
  readonly at: string;
  /** The plugin whose adapter they came to; null for the webhook. */
  readonly adapter: string | null;
  /** A code of the error table. */
  readonly outcome: string;
  readonly status: number;
  readonly count: number;
}

/**
 * The last steps that receivers saw, from the delivery to the public page; times in ISO 8601. Steps that were not seen are
 * missing.
 */
export interface LastSeen {
  readonly facts: {
    readonly delivery?: { readonly at: string; readonly id: string; readonly url: string };
    readonly commit?: { readonly at: string; readonly commit: string; readonly subject: string };
    /** The last commit's error. */
    readonly commitError?: { readonly at: string; readonly path: string; readonly reason: string };
    readonly build?: { readonly at: string };
    /** The last build's error. */
    readonly buildError?: { readonly at: string; readonly reason: string };
    readonly live?: { readonly at: string; readonly url: string };
    /** The articles that were not yet seen on their pages, oldest first. */
    readonly awaited: readonly { readonly url: string; readonly at: string; readonly found?: string }[];
  };
  /** Undefined if nothing is pushed. */
  readonly push:
    | {
        readonly lastPush: string | null;
        readonly waiting: number;
        readonly lastError: string | null;
        readonly waitingFor: string | null;
      }
    | undefined;
  /** The state of each target of `deploy`, by its name. */
  readonly targets: Readonly<
    Record<
      string,
      {
        readonly deployed?: { readonly at: string };
        readonly error?: string;
        readonly behindSince?: string;
      }
    >
  >;
}

/** The findings of `pressmark doctor`. */
export interface DoctorReport {
  /** When it ran, ISO 8601; undefined before the first time. */
  readonly at: string | undefined;
  /** Whether it is running now. */
  readonly isRunning: boolean;
  readonly findings: readonly (HealthFinding & { readonly about: string })[];
}

/** Records of the site and its deliveries, for plugins that show them. */
export interface SiteRecords {
  /** The last deliveries, newest first. Receivers on one folder share them; the last 1,000 are kept. */
  deliveries(query?: DeliveryQuery): Promise<readonly DeliveryRecord[]>;
  /** One delivery with its request and answer; undefined if it is no longer kept. */
  delivery(key: string): Promise<DeliveryDetail | undefined>;
  /**
   * The answer that a delivery would get if it came again now. Nothing is stored, and no plugin code runs. Undefined for a
   * request to an adapter, or if the body is no longer kept.
   */
  dryRun(key: string): Promise<DryRun | undefined>;
  /** The last requests that could not be verified, counted, newest first. */
  refusals(): Promise<readonly RefusedRequests[]>;
  /** The last steps that were seen. Unlike `status`, it reads no article. */
  lastSeen(): Promise<LastSeen>;
  /**
   * The findings of `pressmark doctor`. Returns at once: if the last run was long ago, a new one is started.
   *
   * @param again whether to start a new run in any case.
   */
  doctor(again?: boolean): Promise<DoctorReport>;
  /** The state of the site, as `pressmark status --json` prints it. */
  status(): Promise<Readonly<Record<string, unknown>>>;
}
