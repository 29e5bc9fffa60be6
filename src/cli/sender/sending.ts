import fs from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { PressmarkError, quote } from '../../errors.js';
import { CLOCK, type Clock, clockAhead } from '../../sender/clock.js';
import { type Connector, chooseConnector, readConnectors } from '../../sender/connectors.js';
import { MAX_ATTEMPTS } from '../../sender/delivery/delivery.js';
import type { Entry } from '../../sender/queue/entry.js';
import { openQueue, type Queue } from '../../sender/queue/queue.js';
import { type SenderState, stateOf } from '../../sender/state.js';
import { numberThat } from '../options.js';
import { paint, printable } from '../terminal.js';

/** Adds `--connector <name>` to a command that sends. */
export function withConnector(command: Command): Command {
  return command.option('--connector <name>', 'the receiver, if several are connected');
}

const parseRate = numberThat('A rate is a number above 0.', (rate) => rate > 0);

/** Adds `--rate <n>`. */
export function withRate(command: Command): Command {
  return command.option('--rate <n>', 'the most attempts per second', parseRate);
}

/** Adds `--clock <span>` to a command that depends on the time. */
export function withClock(command: Command): Command {
  return command.option('--clock <span>', 'add 90s, 5m or 2h to the time, to try retries', parseClock);
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000 } as const;

function parseClock(text: string): Clock {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text) ?? [];
  if (unit !== 's' && unit !== 'm' && unit !== 'h')
    throw new InvalidArgumentError('A span is a number and s, m or h, such as 90s, 5m or 2h.');
  return clockAhead(Number(number) * UNIT_MS[unit]);
}

/**
 * Opens the sender's state in a folder.
 *
 * @throws PressmarkError USAGE if there is no such folder: a mistyped name would look like a sender without deliveries.
 */
export function senderState(dir: string): SenderState {
  if (fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return stateOf(dir);
  throw new PressmarkError(
    'USAGE',
    `--dir ${quote(dir, 200)} is not a folder; give the one that .pressmark-sender is in`,
  );
}

/** The context of the sending commands. */
export interface Sending {
  readonly state: SenderState;
  readonly connector: Connector;
  readonly queue: Queue;
  readonly clock: Clock;
}

/**
 * Opens the sender's folder below `dir` for one receiver.
 *
 * @throws PressmarkError USAGE if there is no connector, or several and none is named.
 */
export function openSending(dir: string, connectorName: string | undefined, clock = CLOCK): Sending {
  const state = senderState(dir);
  const connector = chooseConnector(readConnectors(state), connectorName);
  return { state, connector, clock, queue: openQueue({ state, now: clock.now }) };
}

const MARKS = {
  success: ['green', '✓'],
  pending: ['yellow', '…'],
  sending: ['yellow', '…'],
  failed: ['red', '✗'],
} as const;

/** The mark of a delivery's status, in its colour. */
export function markOf({ record }: Entry): string {
  const [colour, sign] = MARKS[record.status];
  return paint(colour, sign);
}

/** Describes the state of a delivery in one line. */
export function standingOf(entry: Entry): string {
  const { source, liveUrl, note, record } = entry;
  const { status, attempts, lastError, nextRetryAt } = record;
  const words = {
    success: liveUrl === null ? `delivered${note === null ? '' : `; ${note}`}` : `→ ${liveUrl}`,
    sending: `is being sent; if that process dies, it is due again at ${nextRetryAt}`,
    pending:
      attempts === 0
        ? `due at ${nextRetryAt}`
        : `attempt ${attempts} of ${MAX_ATTEMPTS} failed, the next is due at ${nextRetryAt}: ${lastError ?? ''}`,
    failed: `failed: ${lastError ?? ''}`,
  };
  return `${markOf(entry)} ${printable(`${source} ${words[status]}`)}`;
}
