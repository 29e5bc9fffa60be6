/** What a sender is to do next. */
export type Step =
  /** Send articles to this receiver from now on. */
  | { readonly kind: 'connect'; readonly url: string; readonly secret: string }
  /** Publish so many new articles. */
  | { readonly kind: 'publish'; readonly count: number }
  /** Refresh the article at this URL. */
  | { readonly kind: 'refresh'; readonly url: string }
  /** End at once, in the middle of an attempt, and start again. */
  | { readonly kind: 'kill' };

/** A delivery record as a sender shows it (contract: Delivery record). */
export interface DeliveryRecord {
  /** `data.id` of the payload. */
  readonly article: string;
  readonly url: string;
  readonly status: string;
  readonly attempts: number;
  readonly lastStatusCode: number | null;
  readonly lastError: string | null;
  readonly nextRetryAt: string | null;
}

/** How the sender that is checked is made to act, and what time it has. */
export interface SenderDriver {
  /** The sender's time, in milliseconds since the epoch. */
  now(): number;
  /**
   * Has the sender take a step, and resolves when that has been done.
   *
   * @param seen settles when the requests have come that the step is to bring.
   */
  take(step: Step, seen: Promise<void>): Promise<void>;
  /** Lets the sender's time pass to this moment; it sends what is due by then. */
  passTo(moment: number): Promise<void>;
  /** The sender's delivery records; undefined if it does not show them. */
  readonly records?: () => Promise<readonly DeliveryRecord[]>;
}
