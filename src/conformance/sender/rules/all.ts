import type { EventName } from '../../../contract/limits.js';
import { NotChecked, Unmet } from '../../expect.js';
import { REQUEST_RULES } from '../../traffic/request-rules.js';
import type { SenderRule } from '../rule.js';
import { PUBLISH_SENDER_RULES } from './publish.js';
import { RECORD_RULES } from './records.js';
import { REFRESH_SENDER_RULES } from './refresh.js';

/** The events of rules about one event. */
const EVENTS: Readonly<Record<string, EventName>> = {
  'publish-without-version': 'article.published',
  'published-at': 'article.published',
  'item-comment': 'article.published',
  'revision-is-id': 'article.updated',
};

/** Rules about each request (contract: Request envelope, Request headers, Article). */
const REQUEST_FORM_RULES = REQUEST_RULES.map(
  (rule): SenderRule => ({
    ...rule,
    articles: ['accepted'],
    refreshes: ['refreshed'],
    check: ({ findings, requests }) => {
      const finding = findings.get(rule.id);
      if (finding !== undefined) throw new Unmet('a request that keeps to it', finding.says);
      const about = EVENTS[rule.id];
      if (about !== undefined && !requests.some(({ event }) => event === about))
        throw new NotChecked(`no ${about} came`);
    },
  }),
);

/** All rules about senders, in the order of reports. */
export const SENDER_RULES: readonly SenderRule[] = [
  ...REQUEST_FORM_RULES,
  ...PUBLISH_SENDER_RULES,
  ...REFRESH_SENDER_RULES,
  ...RECORD_RULES,
];
