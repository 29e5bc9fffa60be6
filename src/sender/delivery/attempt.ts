import { canonicalUrl } from '../../contract/canonical-url.js';
import { messageOf, PressmarkError } from '../../errors.js';
import { type Connector, recipientOf } from '../connectors.js';
import { beginningOf, checkTest, checkUpdated, objectOf, shown, statusText } from './answer-checks.js';
import type { Delivery, Outcome } from './delivery.js';
import { type Envelope, postEvent, sendTest } from './send-event.js';
import type { Reply } from './transport.js';

/** The part of a successful answer that is stored, in characters; of an error, the contract's 200 are. */
const KEPT_CHARS = 2_000;

/**
 * Makes one attempt at a delivery. A publish goes to the address that it was queued for, even if the connector has been edited
 * since; a refresh is then refused (contract: Delivery record, url).
 *
 * @param sentAt milliseconds since the epoch.
 * @param tested whether a `webhook.test` has just shown that the receiver accepts refreshes.
 */
export async function attempt(
  { url, payload }: Delivery,
  connector: Connector,
  sentAt: number,
  tested = false,
): Promise<Outcome> {
  try {
    if (payload.event === 'article.updated') {
      if (connector.url !== url)
        return {
          result: 'stopped',
          error: `refused: the refresh was made for ${url}, and the connector ${connector.name} now points to ${connector.url}; make a new one with pressmark refresh`,
        };
      const refusal = tested ? undefined : await refreshRefusal(connector, sentAt);
      if (refusal !== undefined) return refusal;
    }
    const reply = await postEvent(recipientOf(connector, url), payload, { sentAt });
    const outcome = outcomeOf(payload, reply);
    return outcome.result === 'accepted' ? { ...outcome, answer: beginningOf(reply, KEPT_CHARS) } : outcome;
  } catch (error) {
    if (!(error instanceof PressmarkError) || error.code !== 'UNREACHABLE') throw error;
    return failed(messageOf(error));
  }
}

/** Tests whether the receiver accepts refreshes; earlier answers do not count (contract: webhook.test, nothing is cached). */
async function refreshRefusal(connector: Connector, sentAt: number): Promise<Outcome | undefined> {
  const reply = await sendTest(connector, sentAt);
  const checked = checkTest(reply);
  // Without a status code: the update itself was not sent, and a 409 to the test is not a conflict of the article.
  if ('refusal' in checked) return { ...failed(`webhook.test: ${checked.refusal}`), reply };
  const { noRefresh } = checked.value;
  return noRefresh === undefined ? undefined : { result: 'stopped', error: noRefresh };
}

/** The outcome of an attempt without an answer to the delivery itself. */
function failed(error: string) {
  return { result: 'refused', statusCode: null, error, final: false } as const;
}

/** The meaning of a receiver's answer to a delivery (contract: Errors, How the service treats answers). */
export function outcomeOf(payload: Envelope, reply: Reply): Outcome {
  return payload.event === 'article.updated' ? ofUpdate(payload, reply) : ofPublish(reply);
}

/** The outcome of a publish. Any 2xx means success; only `url` is read from the body. */
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

/** The outcome of an update. A 409 fails at once: the article has changed since the lookup, and is not replaced. */
function ofUpdate({ data }: Envelope, reply: Reply): Outcome {
  const { status: statusCode } = reply;
  const checked = checkUpdated(reply, String(data.revision_id));
  if ('refusal' in checked)
    return { result: 'refused', statusCode, error: checked.refusal, final: statusCode === 409, reply };
  return { result: 'accepted', statusCode, liveUrl: null }; // the URL is known from the lookup
}
