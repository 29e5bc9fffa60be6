import type { Rule } from '../rule.js';
import { CANONICAL_RULES } from './lookup/canonical.js';
import { LOOKUP_RULES } from './lookup/lookup.js';
import { LOOKUP_REFUSED_RULES } from './lookup/lookup-refused.js';
import { MANUAL_RULES } from './manual.js';
import { CONCURRENCY_RULES } from './publish/concurrency.js';
import { CONTENT_RULES } from './publish/content.js';
import { PAGE_RULES } from './publish/pages.js';
import { PUBLISH_RULES } from './publish/publish.js';
import { PUBLISH_ACCEPTED_RULES } from './publish/publish-accepted.js';
import { REDELIVERY_RULES } from './publish/redelivery.js';
import { LIMIT_RULES } from './requests/limits.js';
import { ORDER_RULES } from './requests/order.js';
import { RAW_BYTES_RULES } from './requests/raw-bytes.js';
import { REACH_RULES } from './requests/reach.js';
import { SIGNATURE_RULES } from './requests/signature.js';
import { VALIDATION_RULES } from './requests/validation.js';
import { TEST_RULES } from './requests/webhook-test.js';
import { REVISION_RULES } from './update/revisions.js';
import { UPDATE_RULES } from './update/update.js';
import { UPDATE_FORM_RULES } from './update/update-form.js';
import { UPDATE_TARGET_RULES } from './update/update-target.js';
import { WHOLE_RUN_RULES } from './whole-run.js';

/** Every rule, each after those that it needs; those about all answers of a run come last. */
export const RULES: readonly Rule[] = inOrder([
  ...REACH_RULES,
  ...SIGNATURE_RULES,
  ...RAW_BYTES_RULES,
  ...TEST_RULES,
  ...PUBLISH_RULES,
  ...PUBLISH_ACCEPTED_RULES,
  ...LOOKUP_RULES,
  ...CONTENT_RULES,
  ...REDELIVERY_RULES,
  ...LOOKUP_REFUSED_RULES,
  ...CANONICAL_RULES,
  ...VALIDATION_RULES,
  ...UPDATE_RULES,
  ...UPDATE_FORM_RULES,
  ...UPDATE_TARGET_RULES,
  ...REVISION_RULES,
  ...CONCURRENCY_RULES,
  ...ORDER_RULES,
  ...PAGE_RULES,
  ...MANUAL_RULES,
  ...LIMIT_RULES,
  ...WHOLE_RUN_RULES,
]);

function inOrder(rules: readonly Rule[]): Rule[] {
  const placed = new Map<string, Rule>();
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const place = (rule: Rule): void => {
    if (placed.has(rule.id)) return;
    for (const id of rule.needs) {
      const needed = byId.get(id);
      if (needed === undefined) throw new Error(`rule ${rule.id} needs ${id}, which is not there`);
      place(needed);
    }
    placed.set(rule.id, rule);
  };
  rules.forEach(place);
  return [...placed.values()];
}
