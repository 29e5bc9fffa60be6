import { quote } from '../errors.js';
import { invalid } from './config-file.js';
import { readEnvironment, type SiteEnvironment } from './environment.js';

/** Signing secrets that were replaced by a newer one. */
export interface OldSecrets {
  readonly secrets: readonly string[];
  /** Until when they are live, ISO 8601. */
  readonly until: string;
}

/** What deliveries may be signed with. */
export interface LiveSecrets {
  /** The newest first; empty if none is set. */
  readonly secrets: readonly string[];
  /** Those of them that are live for some time yet; undefined if there are none. */
  readonly oldSecrets: OldSecrets | undefined;
}

/** The current signing secrets; undefined if the variable is set and holds none. */
export function secretsIn({ PRESSMARK_SECRET: list = '' }: NodeJS.Dict<string>): string[] | undefined {
  const secrets = listedSecrets(list);
  // A random one in its place would refuse every delivery.
  return list !== '' && secrets.length === 0 ? undefined : secrets;
}

/** The live secrets as the environment and `.env` have them now. @throws PressmarkError CONFIG_INVALID */
export function secretsOf(site: SiteEnvironment): LiveSecrets {
  const environment = readEnvironment(site);
  return withOld(secretsIn(environment) ?? [], environment);
}

/** The live secrets with those that were replaced. @throws PressmarkError CONFIG_INVALID */
export function withOld(current: readonly string[], environment: NodeJS.Dict<string>): LiveSecrets {
  const oldSecrets = oldSecretsIn(environment);
  return { secrets: [...new Set([...current, ...(oldSecrets?.secrets ?? [])])], oldSecrets };
}

/** The secrets of a variable, which has commas between them. */
export function listedSecrets(list = ''): string[] {
  return list
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
}

/** @throws PressmarkError CONFIG_INVALID if it is not known until when they are live. */
function oldSecretsIn({
  PRESSMARK_OLD_SECRET: list,
  PRESSMARK_OLD_SECRET_UNTIL: until = '',
}: NodeJS.Dict<string>): OldSecrets | undefined {
  const secrets = listedSecrets(list);
  if (secrets.length === 0) return undefined;
  if (Number.isNaN(Date.parse(until)))
    throw invalid(
      `PRESSMARK_OLD_SECRET_UNTIL is ${quote(until)}; set it to the time until which PRESSMARK_OLD_SECRET is live, such as 2026-05-01T12:00:00Z, or remove both`,
    );
  return Date.parse(until) > Date.now() ? { secrets, until } : undefined;
}
