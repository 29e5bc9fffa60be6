/** A step for the sender. */
export type Step =
  /** Send articles to this receiver from now on. */
  | { readonly kind: 'connect'; readonly url: string; readonly secret: string }
  /** Publish this number of new articles. */
  | { readonly kind: 'publish'; readonly count: number }
  /** Refresh the article at this URL. */
  | { readonly kind: 'refresh'; readonly url: string }
  /** Exit at once, in the middle of an attempt, and start again. */
  | { readonly kind: 'kill' };

/** A delivery record in a sender's output (contract: Delivery record). */
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

/** The control over the checked sender, and its clock. */
export interface SenderDriver {
  /** The sender's time, in milliseconds since the epoch. */
  now(): number;
  /**
   * Makes the sender take a step, and resolves when the step is done.
   *
   * @param seen settles when the requests that the step causes have come.
   */
  take(step: Step, seen: Promise<void>): Promise<void>;
  /** Moves the sender's time to this moment; it sends everything that is due by then. */
  passTo(moment: number): Promise<void>;
  /** The sender's delivery records; undefined if it does not show them. */
  readonly records?: () => Promise<readonly DeliveryRecord[]>;
}
