import { PressmarkError } from '../errors.js';
import {
  type Connector,
  type ConnectorInput,
  findConnector,
  makeConnector,
  saveConnector,
} from './connectors.js';
import { type Connection, checkTest } from './delivery/answer-checks.js';
import { sendTest } from './delivery/send-event.js';
import { endPause, notePause } from './pause.js';
import type { SenderState } from './state.js';

/**
 * Stores a receiver for the sender after a connection test, whose result is not stored. A successful test ends a pause of the
 * receiver; the refusal of a known receiver may begin one.
 *
 * @param now milliseconds since the epoch.
 * @throws PressmarkError RECEIVER_REFUSED if it answered with a failure, UNREACHABLE, USAGE, CONFIG_INVALID, QUEUE_FAILED; then
 *   no connector is stored.
 */
export async function connect(
  state: SenderState,
  input: ConnectorInput,
  now: number,
): Promise<Connection & { readonly connector: Connector }> {
  const connector = makeConnector(state, input);
  const { name, url } = connector;
  const reply = await sendTest(connector, now);
  const checked = checkTest(reply);
  if ('refusal' in checked) {
    if (findConnector(state, name) !== undefined) await notePause(state, url, reply, now);
    throw new PressmarkError('RECEIVER_REFUSED', `the connection test failed: ${checked.refusal}`);
  }
  endPause(state, url);
  await saveConnector(state, connector);
  return { connector, ...checked.value };
}
