import { canonicalUrl } from '../../contract/canonical-url.js';
import type { Delivery } from '../../contract/envelope.js';
import { MAX_BODY_BYTES } from '../../contract/limits.js';
import { checkLookup, checkTest, checkUpdated, objectOf } from '../../sender/delivery/answer-checks.js';
import { timeoutOf } from '../../sender/delivery/send-event.js';
import { type Reply, TOO_LARGE } from '../../sender/delivery/transport.js';
import type { Breach, JudgedRequest } from './judge-request.js';

/** A received answer. */
export interface Answered {
  readonly status: number;
  readonly headers: Reply['headers'];
  readonly body: Buffer;
  readonly ms: number;
}

/** Checks an answer to a request against the contract (Endpoints, Errors, Limits). */
export function judgeAnswer({ signature, delivery }: JudgedRequest, answer: Answered): Breach[] {
  const { status, body } = answer;
  const reply: Reply = {
    ...answer,
    body: body.subarray(0, MAX_BODY_BYTES),
    incomplete: body.length > MAX_BODY_BYTES ? TOO_LARGE : undefined,
    url: '',
    redirectRefused: undefined,
  };
  const found: Breach[] = [];
  const find = (section: string, says: string) => found.push({ section, says });
  const accepted = status >= 200 && status <= 299;
  if (signature !== 'right') {
    if (status !== 401)
      find(
        'Authentication, 3d',
        `it was answered ${status}; without the right signature the answer must be 401`,
      );
    return found;
  }
  if (status >= 400 && typeof objectOf(reply)?.error !== 'string')
    find('Errors', 'the answer is not {"error": message} as JSON');
  if (delivery === undefined) {
    if (accepted) find('Errors', `it was answered ${status}; the answer to an invalid request must be 400`);
    return found;
  }
  const limit = timeoutOf(delivery.event);
  if (answer.ms > limit)
    find(
      'Limits',
      `the answer came after ${Math.round(answer.ms / 1000)} s; the service waits ${limit / 1000} s`,
    );
  if (status >= 300 && status <= 399 && delivery.event !== 'article.published')
    find('Request headers, Redirects', `it was redirected; no ${delivery.event} follows a redirect`);
  if (accepted) found.push(...findingsOf(delivery, reply));
  return found;
}

/** The faults of a 2xx answer. */
function findingsOf(delivery: Delivery, reply: Reply): Breach[] {
  switch (delivery.event) {
    case 'webhook.test': {
      const checked = checkTest(reply);
      if ('refusal' in checked) return [{ section: 'webhook.test', says: checked.refusal }];
      const { noRefresh } = checked.value;
      return noRefresh === undefined ? [] : [{ section: 'Versioning', says: noRefresh }];
    }
    case 'article.published':
      return publishFindings(reply);
    case 'article.lookup': {
      const checked = checkLookup(reply, delivery.data.target_url);
      return 'refusal' in checked ? [{ section: 'Lookup target', says: checked.refusal }] : [];
    }
    case 'article.updated': {
      const checked = checkUpdated(reply, delivery.data.revision_id);
      return 'refusal' in checked ? [{ section: 'article.updated, 6', says: checked.refusal }] : [];
    }
  }
}

function publishFindings(reply: Reply): Breach[] {
  const section = 'article.published';
  if (reply.incomplete !== undefined)
    return [
      {
        section,
        says: `the answer ${reply.incomplete}: the article counts as delivered, but its URL cannot be read`,
      },
    ];
  const { url, id } = objectOf(reply) ?? {}; // each may be missing: Version 1 and 2 may answer any 2xx
  if (url !== undefined && (typeof url !== 'string' || canonicalUrl(url) === undefined))
    return [{ section, says: 'url in the answer is not an absolute http(s) URL without credentials' }];
  return url === undefined || id === undefined || (typeof id === 'string' && id !== '')
    ? []
    : [{ section, says: 'id in the answer is not a nonempty text' }];
}
