import type { EventName } from '../../../contract/limits.js';
import { NotChecked, Unmet } from '../../expect.js';
import { REQUEST_RULES, type RequestRuleId } from '../../traffic/judge-request.js';
import type { UnnumberedRule } from '../rule.js';

const IDS = Object.keys(REQUEST_RULES) as RequestRuleId[];

/** Of rules about one event. */
const EVENTS: Partial<Record<RequestRuleId, EventName>> = {
  'publish-without-version': 'article.published',
  'published-at': 'article.published',
  'item-comment': 'article.published',
  'revision-is-id': 'article.updated',
};

/** What holds for each request (contract: Request envelope, Request headers, Article). */
export const REQUEST_FORM_RULES: readonly UnnumberedRule[] = IDS.map((id) => ({
  ...REQUEST_RULES[id],
  id,
  level: id === 'body-size' ? 'should' : 'must',
  articles: ['accepted'],
  refreshes: ['refreshed'],
  check: ({ findings, requests }) => {
    const finding = findings.get(id);
    if (finding !== undefined) throw new Unmet('a request that keeps to it', finding.says);
    const about = EVENTS[id];
    if (about !== undefined && !requests.some(({ event }) => event === about))
      throw new NotChecked(`no ${about} came`);
  },
}));
