import type { BuildWish } from '../../deploy/build/build-site.js';
import type { StoredDraft } from '../../host/admin/preview-service.js';

/** What the receiver tells the process that builds its site. */
export type BuildMessage =
  | ({ readonly kind: 'build' } & BuildWish)
  | { readonly kind: 'addresses' }
  | { readonly kind: 'preview'; readonly draft: StoredDraft; readonly files: string };

/** What the process has to say besides its answers: a line for the receiver's log. */
export interface LoggedLine {
  readonly kind: 'logged';
  readonly line: string;
}

/** How many addresses of existing posts are known. */
export interface AddressAnswer {
  readonly kind: 'addresses';
  /** Whether the generator was asked. */
  readonly asked: boolean;
  readonly listed: number;
  readonly unlisted: number;
  readonly contradiction?: string;
}
