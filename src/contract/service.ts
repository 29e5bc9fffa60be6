/**
 * How a service names itself in what it sends. The contract writes `Service` where the interface carries a brand; a
 * real service has its own name in the headers, and a word of its own in the item comment.
 */
export interface Service {
  /** In the names of the headers: `X-<name>-Signature`. */
  readonly name: string;
  /** In the item comment: `<!-- <comment>:item:<id> -->`. */
  readonly comment: string;
}

/** The names as the contract writes them. */
export const DEFAULT_SERVICE: Service = { name: 'Service', comment: 'svc' };

/** The most characters of a service's name and of its word in the comment. */
export const MAX_SERVICE_NAME = 64;

/** What can stand in a header's name. */
export const WORD = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** A service as a person sets it, see `serviceSchema`. */
export interface ServiceSetting {
  readonly name: string;
  readonly comment?: string | undefined;
}

/** The service with its default comment. */
export function serviceOf({ name, comment }: ServiceSetting): Service {
  const isDefault = name.toLowerCase() === DEFAULT_SERVICE.name.toLowerCase();
  return { name, comment: comment ?? (isDefault ? DEFAULT_SERVICE.comment : name.toLowerCase()) };
}

/** The setting that makes a service, without what is the default. */
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

/** The name of the first header among these that is a service's signature; undefined if there is none. */
export function signatureHeaderIn(names: readonly string[]): string | undefined {
  const found = names.find((name) => /^x-.+-signature$/i.test(name));
  // Node.js gives names in lowercase.
  return found?.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
