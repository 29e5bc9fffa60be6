import type { SenderRule, UnnumberedRule } from '../rule.js';
import { PUBLISH_SENDER_RULES } from './publish.js';
import { RECORD_RULES } from './records.js';
import { REFRESH_SENDER_RULES } from './refresh.js';
import { REQUEST_FORM_RULES } from './requests.js';

/** Every rule about senders, in the order of reports. */
export const SENDER_RULES: readonly SenderRule[] = [
  ...numbered(1, REQUEST_FORM_RULES),
  ...numbered(21, PUBLISH_SENDER_RULES),
  ...numbered(51, REFRESH_SENDER_RULES),
  ...numbered(81, RECORD_RULES),
];

/** Numbers never change: a new rule comes at the end of its list. */
function numbered(first: number, rules: readonly UnnumberedRule[]): SenderRule[] {
  return rules.map((rule, n) => ({ ...rule, number: first + n }));
}
