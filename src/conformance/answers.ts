import type { LookupTarget } from '../contract/answers.js';
import { versionOf } from '../sender/delivery/answer-checks.js';
import { expectSameText, expectStatus, expectThat, type Fields, fieldsOf, shown } from './expect.js';
import type { Answer } from './transport/probe.js';

export type Version = 1 | 2 | 3;

/** The `target` of a lookup's answer as it is. @throws Unmet where there is none. */
export function targetFields(answer: Answer): Fields {
  expectStatus(answer, 200);
  const { target } = fieldsOf(answer);
  expectThat(
    typeof target === 'object' && target !== null && !Array.isArray(target),
    'an object target in the answer',
    `target ${shown(target)}`,
  );
  return target as Fields;
}

/** One text of a lookup's target. @throws Unmet where it is missing, empty or no text. */
export function targetText(fields: Fields, name: keyof LookupTarget): string {
  const value = fields[name];
  expectThat(
    typeof value === 'string' && value !== '',
    `a nonempty text as target.${name}`,
    `target.${name} ${shown(value)}`,
  );
  return String(value);
}

/** A lookup's whole target. @throws Unmet */
export function targetOf(answer: Answer): LookupTarget {
  const fields = targetFields(answer);
  return {
    id: targetText(fields, 'id'),
    url: targetText(fields, 'url'),
    revision_id: targetText(fields, 'revision_id'),
    title: targetText(fields, 'title'),
    content_html: targetText(fields, 'content_html'),
  };
}

/** The same article as before, field by field. @throws Unmet for the first that differs. */
export function expectUnchanged(before: LookupTarget, after: LookupTarget): void {
  for (const name of ['revision_id', 'id', 'url', 'title', 'content_html'] as const)
    expectSameText(`target.${name}`, before[name], after[name]);
}

/** The version that the sender reads from an answer to `webhook.test` (contract: webhook.test, Versioning). */
export function versionRead(answer: Answer): Version {
  return versionOf(answer.status, looseFields(answer));
}

/**
 * The version that a receiver seems to mean, whole or not: rules of that version say what is missing where the
 * service would only read "Version 1".
 */
export function versionMeant(answer: Answer): Version {
  const { contract_version: version, capabilities } = looseFields(answer);
  if (Number(version) === 2) return 2;
  const means = version !== undefined || (Array.isArray(capabilities) && capabilities.length > 0);
  return means ? 3 : 1;
}

function looseFields(answer: Answer): Fields {
  try {
    return fieldsOf(answer);
  } catch {
    return {}; // a body that is not an object states nothing
  }
}
