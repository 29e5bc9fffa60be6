/**
 * The names of a service in its requests. The contract writes `Service` for the brand; a real service has its own name in the
 * headers, and its own word in the item comment.
 */
export interface Service {
  /** The word in the headers' names: `X-<name>-Signature`. */
  readonly name: string;
  /** The word in the item comment: `<!-- <comment>:item:<id> -->`. */
  readonly comment: string;
}

/** The names in the contract. */
export const DEFAULT_SERVICE: Service = { name: 'Service', comment: 'svc' };

/** The longest name and the longest word of the comment, in characters. */
export const MAX_SERVICE_NAME = 64;

/** The characters of a header's name. */
export const WORD = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** A service in the config; see `serviceSchema`. */
export interface ServiceSetting {
  readonly name: string;
  readonly comment?: string | undefined;
}

/** Adds the default comment to a service. */
export function serviceOf({ name, comment }: ServiceSetting): Service {
  const isDefault = name.toLowerCase() === DEFAULT_SERVICE.name.toLowerCase();
  return { name, comment: comment ?? (isDefault ? DEFAULT_SERVICE.comment : name.toLowerCase()) };
}

/** The setting for a service, without defaults. */
export function serviceSetting({ name, comment }: Service): ServiceSetting {
  return serviceOf({ name }).comment === comment ? { name } : { name, comment };
}

/** The names of a service's headers, as the contract spells them (contract: Request headers). */
export interface HeaderNames {
  readonly signature: string;
  readonly event: string;
  readonly timestamp: string;
  readonly contract: string;
}

/** The names of the headers that a service sends. */
export function headerNames({ name }: Service): HeaderNames {
  return {
    signature: `X-${name}-Signature`,
    event: `X-${name}-Event`,
    timestamp: `X-${name}-Timestamp`,
    contract: `X-${name}-Contract`,
  };
}

/** The name of the first of these headers that holds a service's signature; undefined if there is none. */
export function signatureHeaderIn(names: readonly string[]): string | undefined {
  const found = names.find((name) => /^x-.+-signature$/i.test(name));
  // Node.js lowercases header names.
  return found?.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
