import { messageOf, PressmarkError } from '../../errors.js';
import { type Connector, recipientOf } from '../connectors.js';
import { beginningOf, checkTest } from './answer-checks.js';
import { sendTest } from './connection-test.js';
import type { Delivery, Outcome } from './delivery.js';
import { outcomeOf } from './outcome.js';
import { postEvent } from './send-event.js';

/** What is kept of the answer to a delivery that succeeded; of an error, the contract's 200 characters are. */
const KEPT_CHARS = 2_000;

/**
 * Makes one attempt at a delivery. A publish goes to the address that it was queued for, also where the connector has
 * been edited since; a refresh is refused then (contract: Delivery record, url).
 *
 * @param sentAt milliseconds since the epoch.
 * @param tested whether the answer to a `webhook.test` has just said that the receiver takes refreshes.
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
          error: `refused: the refresh was made for ${url}, and the connector ${connector.name} points to ${connector.url} now`,
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

/** No earlier answer of a receiver is relied upon (contract: webhook.test, nothing is cached). */
async function refreshRefusal(connector: Connector, sentAt: number): Promise<Outcome | undefined> {
  const reply = await sendTest(connector, sentAt);
  const checked = checkTest(reply);
  // Without a status code: the update itself was not sent, and a 409 to the test is no conflict of the article's.
  if ('refusal' in checked) return { ...failed(`webhook.test: ${checked.refusal}`), reply };
  const { noRefresh } = checked.value;
  return noRefresh === undefined ? undefined : { result: 'stopped', error: noRefresh };
}

/** An attempt without an answer to the delivery itself. */
function failed(error: string) {
  return { result: 'refused', statusCode: null, error, final: false } as const;
}
