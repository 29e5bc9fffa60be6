import type { HealthFinding } from './health.js';

/** A delivery whose signature was right, or a request that an adapter has verified. */
export interface DeliveryRecord {
  /** By which it is asked for; in no URL does it need escapes. */
  readonly key: string;
  /** When it was answered, ISO 8601. */
  readonly at: string;
  /** Such as `article.published`; null for an adapter's, and where the body could not be read. */
  readonly event: string | null;
  /** The plugin whose adapter it came to; null for the webhook. */
  readonly adapter: string | null;
  /** The id that was sent; null if there is none. */
  readonly id: string | null;
  /** The public URL of the article; null if the answer has none. */
  readonly url: string | null;
  /** Such as `stored`, `known`, `found`; or the code of the error table. */
  readonly outcome: string;
  readonly status: number;
  /** How long it took to answer. */
  readonly ms: number;
}

/** Which deliveries are meant; all conditions must hold. */
export interface DeliveryQuery {
  /** The newest ones, so many at most. @default 50 */
  readonly limit?: number;
  readonly event?: string;
  readonly id?: string;
  /** Whether they were refused. */
  readonly refused?: boolean;
  readonly status?: number;
  /** In the id, the URL, the event, the outcome or the adapter's name; upper and lower case are the same. */
  readonly text?: string;
}

/** A header as it came; the value is null if it may prove who has sent it, as a signature or a cookie does. */
export interface KeptHeader {
  readonly name: string;
  readonly value: string | null;
}

/** All that is kept of one delivery. */
export interface DeliveryDetail extends DeliveryRecord {
  /** In their order; none if they are not kept any more. */
  readonly headers: readonly KeptHeader[];
  /** As it came, byte by byte; null if it is not kept. Foreign text: escape it. */
  readonly body: Buffer | null;
  /** The body of the answer, as it was sent; null if it is not kept. */
  readonly answer: string | null;
}

/** What would be answered if a delivery came again now. */
export interface DryRun {
  readonly status: number;
  /** JSON. */
  readonly body: string;
  /** What would happen, or the code of the error table. */
  readonly outcome: string;
  readonly event: string | null;
  readonly id: string | null;
  /** The plugins whose filters would be asked before, and may change, hold or refuse the article; they were not. */
  readonly unasked: readonly string[];
}

/** Requests that could not be verified: how many came since the ones before. Nothing that they sent is kept. */
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

/** What receivers have seen last of a site, from the delivery to the public page; times in ISO 8601. Nothing is in it that was not seen. */
export interface LastSeen {
  readonly facts: {
    readonly delivery?: { readonly at: string; readonly id: string; readonly url: string };
    readonly commit?: { readonly at: string; readonly commit: string; readonly subject: string };
    /** Why the commit after it failed. */
    readonly commitError?: { readonly at: string; readonly path: string; readonly reason: string };
    readonly build?: { readonly at: string };
    /** Why the build after it failed. */
    readonly buildError?: { readonly at: string; readonly reason: string };
    readonly live?: { readonly at: string; readonly url: string };
    /** Articles that were not seen on their pages yet, the oldest first. */
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
  /** How each target of `deploy` stands, by its name. */
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

/** What `pressmark doctor` has found. */
export interface DoctorReport {
  /** When, ISO 8601; undefined before the first time. */
  readonly at: string | undefined;
  /** Whether it looks right now. */
  readonly isRunning: boolean;
  readonly findings: readonly (HealthFinding & { readonly about: string })[];
}

/** What is known of the site and of what came, for plugins that show it. */
export interface SiteRecords {
  /** The last deliveries, newest first. Receivers on one folder share them; the last 1,000 are kept. */
  deliveries(query?: DeliveryQuery): Promise<readonly DeliveryRecord[]>;
  /** One of them, with what was sent and what was answered; undefined if it is not kept any more. */
  delivery(key: string): Promise<DeliveryDetail | undefined>;
  /**
   * What would be answered if it came again now. Nothing is stored, and no code of a plugin runs. Undefined for what came to an
   * adapter, and where its body is not kept any more.
   */
  dryRun(key: string): Promise<DryRun | undefined>;
  /** The last requests that could not be verified, newest first, counted. */
  refusals(): Promise<readonly RefusedRequests[]>;
  /** What was seen last. It reads no article, unlike `status`. */
  lastSeen(): Promise<LastSeen>;
  /**
   * What `pressmark doctor` has found. It is not waited for: where that was long ago, doctor begins to look again.
   *
   * @param again whether it looks again in any case.
   */
  doctor(again?: boolean): Promise<DoctorReport>;
  /** How the site stands: what `pressmark status --json` prints. */
  status(): Promise<Readonly<Record<string, unknown>>>;
}
