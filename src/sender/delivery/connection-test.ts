import { PressmarkError } from '../../errors.js';
import { sampleTest } from '../article/sample-event.js';
import { type Connection, checkTest } from './answer-checks.js';
import { envelopeOf, postEvent, type Recipient } from './send-event.js';
import type { Reply } from './transport.js';

/**
 * Sends a `webhook.test` (contract: webhook.test data).
 *
 * @param sentAt milliseconds since the epoch.
 * @throws PressmarkError UNREACHABLE if no answer came.
 */
export function sendTest(recipient: Recipient, sentAt: number): Promise<Reply> {
  const timestamp = new Date(sentAt).toISOString();
  return postEvent(recipient, envelopeOf('webhook.test', sampleTest(), timestamp), { sentAt });
}

/**
 * Asks a receiver what it is; sent on connection and before every refresh, and never remembered.
 *
 * @throws PressmarkError UNREACHABLE, or RECEIVER_REFUSED if it answered with a failure.
 */
export async function testConnection(recipient: Recipient, sentAt: number): Promise<Connection> {
  const checked = checkTest(await sendTest(recipient, sentAt));
  if ('value' in checked) return checked.value;
  throw new PressmarkError('RECEIVER_REFUSED', `the connection test failed: ${checked.refusal}`);
}
