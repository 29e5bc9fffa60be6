import type { Rule } from '../rule.js';
import { CANONICAL_RULES } from './canonical.js';
import { CONCURRENCY_RULES } from './concurrency.js';
import { CONTENT_RULES } from './content.js';
import { LIMIT_RULES } from './limits.js';
import { LOOKUP_RULES } from './lookup.js';
import { LOOKUP_REFUSED_RULES } from './lookup-refused.js';
import { MANUAL_RULES } from './manual.js';
import { ORDER_RULES } from './order.js';
import { PAGE_RULES } from './pages.js';
import { PUBLISH_RULES } from './publish.js';
import { PUBLISH_ACCEPTED_RULES } from './publish-accepted.js';
import { RAW_BYTES_RULES } from './raw-bytes.js';
import { REACH_RULES } from './reach.js';
import { REDELIVERY_RULES } from './redelivery.js';
import { REVISION_RULES } from './revisions.js';
import { SIGNATURE_RULES } from './signature.js';
import { UPDATE_RULES } from './update.js';
import { UPDATE_FORM_RULES } from './update-form.js';
import { UPDATE_TARGET_RULES } from './update-target.js';
import { VALIDATION_RULES } from './validation.js';
import { TEST_RULES } from './webhook-test.js';
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
