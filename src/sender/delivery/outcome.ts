import { canonicalUrl } from '../../contract/canonical-url.js';
import { checkUpdated, objectOf, shown, statusText } from './answer-checks.js';
import type { Outcome } from './delivery.js';
import type { Envelope } from './send-event.js';
import type { Reply } from './transport.js';

/** What a receiver's answer to a delivery means (contract: Errors, How the service treats answers). */
export function outcomeOf(payload: Envelope, reply: Reply): Outcome {
  return payload.event === 'article.updated' ? ofUpdate(payload, reply) : ofPublish(reply);
}

/** Any 2xx means that the article is delivered; of the body only `url` is read. */
function ofPublish(reply: Reply): Outcome {
  const { status: statusCode } = reply;
  if (statusCode < 200 || statusCode > 299)
    return { result: 'refused', statusCode, error: statusText(reply), final: false, reply };
  const accepted = { result: 'accepted', statusCode, liveUrl: null } as const;
  if (reply.incomplete !== undefined)
    return { ...accepted, note: `its URL cannot be read: the answer ${reply.incomplete}` };
  const url = objectOf(reply)?.url;
  if (url === undefined) return accepted; // a Version 1 or 2 receiver may say nothing
  if (typeof url !== 'string' || canonicalUrl(url) === undefined)
    return {
      ...accepted,
      note: `the answer's url ${shown(url)} is not an absolute http(s) URL without credentials`,
    };
  return { ...accepted, liveUrl: url };
}

/** A 409 fails at once: the article has changed since it was looked up, and stays as it is. */
function ofUpdate({ data }: Envelope, reply: Reply): Outcome {
  const { status: statusCode } = reply;
  const checked = checkUpdated(reply, String(data.revision_id));
  if ('refusal' in checked)
    return { result: 'refused', statusCode, error: checked.refusal, final: statusCode === 409, reply };
  return { result: 'accepted', statusCode, liveUrl: null }; // the lookup has said it
}
