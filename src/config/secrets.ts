import { quote } from '../errors.js';

/** The secrets that sign deliveries. */
export interface SecretSettings {
  /** The newest secret first; empty if none is set. */
  readonly secrets: readonly string[];
  /** The secrets that expire, and the moment, ISO 8601; undefined if there are none. */
  readonly oldSecrets: { readonly secrets: readonly string[]; readonly until: string } | undefined;
}

/** Reads the signing secrets from the environment and `.env`, or tells what is wrong with them. */
export function secretsIn({
  PRESSMARK_SECRET: list = '',
  PRESSMARK_OLD_SECRET: oldList,
  PRESSMARK_OLD_SECRET_UNTIL: until = '',
}: NodeJS.Dict<string>): SecretSettings | string {
  const current = listedSecrets(list);
  // A random secret instead would refuse every delivery.
  if (list !== '' && current.length === 0)
    return `PRESSMARK_SECRET is ${quote(list)}, which holds no secret; set it to the one that the service issued, or remove it`;
  const old = listedSecrets(oldList);
  if (old.length > 0 && Number.isNaN(Date.parse(until)))
    return `PRESSMARK_OLD_SECRET_UNTIL is ${quote(until)}; set it to the time until which PRESSMARK_OLD_SECRET is live, such as 2026-05-01T12:00:00Z, or remove both`;
  const isLive = old.length > 0 && Date.parse(until) > Date.now();
  if (!isLive) return { secrets: [...new Set(current)], oldSecrets: undefined };
  return { secrets: [...new Set([...current, ...old])], oldSecrets: { secrets: old, until } };
}

/** Splits a variable with several secrets at its commas. */
export function listedSecrets(list = ''): string[] {
  return list
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
}
