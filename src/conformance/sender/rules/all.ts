import type { SenderRule } from '../rule.js';
import { PUBLISH_SENDER_RULES } from './publish.js';
import { RECORD_RULES } from './records.js';
import { REFRESH_SENDER_RULES } from './refresh.js';
import { REQUEST_FORM_RULES } from './requests.js';

/** Every rule about senders, in the order of reports. */
export const SENDER_RULES: readonly SenderRule[] = [
  ...REQUEST_FORM_RULES,
  ...PUBLISH_SENDER_RULES,
  ...REFRESH_SENDER_RULES,
  ...RECORD_RULES,
];
