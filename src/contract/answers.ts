import { ANSWER_CONTRACT_VERSION, CAPABILITIES } from './limits.js';

/** The article that a lookup returns; every field is nonempty (contract: Lookup target). */
export interface LookupTarget {
  readonly id: string;
  readonly url: string;
  readonly revision_id: string;
  readonly title: string;
  readonly content_html: string;
}

/** Answer to `article.published`, Version 3: the stored id and the absolute public URL. */
export function publishedAnswer(id: string, url: string) {
  return { received: true, id, url } as const;
}

/** Answer to `webhook.test`: the version and the implemented events. */
export function testAnswer() {
  return { received: true, contract_version: ANSWER_CONTRACT_VERSION, capabilities: CAPABILITIES } as const;
}

/** Answer to `article.lookup`. */
export function lookupAnswer(target: LookupTarget) {
  return { received: true, contract_version: ANSWER_CONTRACT_VERSION, target } as const;
}

/**
 * The refusal of an update whose base is not the current revision; `error` is the contract's own text (contract: Errors).
 *
 * @param revisions `base_revision_id` and `current_revision_id`, if known.
 */
export function conflictAnswer(revisions: Readonly<Record<string, string>>) {
  return { error: 'Article revision conflict', ...revisions } as const;
}

/** Answer to `article.updated`, only after the durable commit, and to an identical retry. */
export function updatedAnswer(revisionId: string) {
  return { received: true, contract_version: ANSWER_CONTRACT_VERSION, revision_id: revisionId } as const;
}
