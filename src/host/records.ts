/** A delivery whose signature was right, or a request that an adapter has verified. */
export interface DeliveryRecord {
  /** When it was answered, ISO 8601. */
  readonly at: string;
  /** Such as `article.published`; null for an adapter's, and where the body could not be read. */
  readonly event: string | null;
  /** The plugin whose adapter it came to; null for the webhook. */
  readonly adapter: string | null;
  /** The id that was sent; null where there is none. */
  readonly id: string | null;
  /** The public URL of the article; null where the answer has none. */
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
}

/** What is known of the site and of what came, for plugins that show it. */
export interface SiteRecords {
  /** The last deliveries, newest first. Receivers on one folder share them; the last 1,000 are kept. */
  deliveries(query?: DeliveryQuery): Promise<readonly DeliveryRecord[]>;
  /** How the site stands: what `pressmark status --json` prints. */
  status(): Promise<Readonly<Record<string, unknown>>>;
}
