import type { LookupTarget } from '../contract/answers.js';
import { shown } from '../sender/delivery/answer-checks.js';
import { expectSameText, expectStatus, expectThat, type Fields, fieldsOf } from './expect.js';
import type { Answer } from './transport/probe.js';

/** The unchecked `target` of a lookup's answer. @throws Unmet if there is none. */
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

/** A text field of a lookup's target. @throws Unmet if it is missing, empty or not a text. */
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

/** Expects the same article as before, field by field. @throws Unmet for the first difference. */
export function expectUnchanged(before: LookupTarget, after: LookupTarget): void {
  for (const name of ['revision_id', 'id', 'url', 'title', 'content_html'] as const)
    expectSameText(`target.${name}`, before[name], after[name]);
}
