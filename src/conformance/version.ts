import { objectIn, versionOf } from '../sender/delivery/answer-checks.js';
import { looseFieldsOf } from './expect.js';
import type { Answer } from './transport/probe.js';

export type Version = 1 | 2 | 3;

/** The version that the sender reads from an answer to `webhook.test` (contract: webhook.test, Versioning). */
export function versionRead(answer: Answer): Version {
  return versionOf(answer.status, looseFieldsOf(answer));
}

/**
 * The version that a receiver seems to intend, even if the answer is incomplete: the rules of that version tell what is
 * missing, although the service would only read "Version 1".
 */
export function versionMeant(answer: Answer): Version {
  const fields = objectIn(answer.text);
  // A warning or a byte order mark before the JSON.
  if (fields === undefined) return /"contract_version"\s*:/.test(answer.text) ? 3 : 1;
  const { contract_version: version, capabilities } = fields;
  if (Number(version) === 2) return 2;
  const means = version !== undefined || (Array.isArray(capabilities) && capabilities.length > 0);
  return means ? 3 : 1;
}
