import type { Rule } from '../rule.js';
import { CANONICAL_RULES } from './lookup/canonical.js';
import { LOOKUP_RULES } from './lookup/lookup.js';
import { MANUAL_RULES } from './manual.js';
import { CONCURRENCY_RULES } from './publish/concurrency.js';
import { CONTENT_RULES } from './publish/content.js';
import { PAGE_RULES } from './publish/pages.js';
import { PUBLISH_RULES } from './publish/publish.js';
import { REDELIVERY_RULES } from './publish/redelivery.js';
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

const ALL: readonly Rule[] = [
  ...REACH_RULES,
  ...SIGNATURE_RULES,
  ...RAW_BYTES_RULES,
  ...TEST_RULES,
  ...PUBLISH_RULES,
  ...LOOKUP_RULES,
  ...CONTENT_RULES,
  ...REDELIVERY_RULES,
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
  ...WHOLE_RUN_RULES,
];

/** All rules, each after those that it needs. Rules about all answers of a run come last. */
export const RULES: readonly Rule[] = withNeeds(ALL);

/** Adds the rules that some rules need, each before the rules that need it. */
export function withNeeds(wanted: readonly Rule[]): Rule[] {
  const placed = new Set<Rule>();
  const place = (rule: Rule): void => {
    for (const id of rule.needs) {
      const needed = ALL.find((one) => one.id === id);
      if (needed === undefined) throw new Error(`rule ${rule.id} needs ${id}, which is not there`);
      place(needed);
    }
    placed.add(rule);
  };
  wanted.forEach(place);
  return [...placed];
}
