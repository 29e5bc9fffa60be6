/** One thing that was looked at. */
export interface Finding {
  /** `fail` keeps the receiver from working or loses something; `warn` may be what the owner wants. */
  readonly level: 'ok' | 'warn' | 'fail';
  readonly about: string;
  readonly text: string;
  /** How to fix it. */
  readonly fix?: string;
}
