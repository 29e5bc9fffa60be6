import { Argument, Command, Option } from 'commander';
import { PressmarkError, quote } from '../../errors.js';
import { findConnector, recipientOf } from '../../sender/connectors.js';
import type { Asked } from '../../sender/delivery/delivery.js';
import { envelopeBytes, eventHeaders } from '../../sender/delivery/send-event.js';
import { endPause, pauseOf } from '../../sender/pause.js';
import type { Entry } from '../../sender/queue/entry.js';
import { openQueue, type Queue } from '../../sender/queue/queue.js';
import { type SenderState, stateOf } from '../../sender/state.js';
import { example, withDir } from '../options.js';
import { aligned, paint, print, printable, printableLines, printJson } from '../terminal.js';
import { markOf, senderState, standingOf } from './sending.js';

interface DeliveriesOptions {
  readonly dir: string;
  readonly status?: Entry['record']['status'];
  readonly json?: boolean;
}

type Action = 'show' | Asked;

const STATUS = ['pending', 'sending', 'success', 'failed'] as const;

/** `pressmark deliveries`: lists the queued articles and their results. */
export function deliveriesCommand(): Command {
  return withDir(new Command('deliveries'))
    .addArgument(
      new Argument('[action]', 'show, retry or cancel a delivery, or send it at once').choices([
        'show',
        'retry',
        'send',
        'cancel',
      ]),
    )
    .argument('[id...]', 'their ids; with retry also all')
    .addOption(new Option('--status <status>', 'only these').choices(STATUS))
    .option('--json', 'print the records as JSON, without their payloads')
    .addHelpText('after', example('pressmark deliveries --status failed'))
    .action(async (action: Action | undefined, ids: string[], options: DeliveriesOptions) => {
      const state = senderState(options.dir);
      const queue = openQueue({ state });
      try {
        if (action === undefined) show(queue, state, options);
        else if (action === 'show') for (const id of requireIds(ids, action)) showOne(queue, id, options);
        else await change(queue, state, ids, action, options.json === true);
      } finally {
        queue.close();
      }
    });
}

function show(queue: Queue, state: SenderState, { status, json }: DeliveriesOptions): void {
  const entries = [...queue.list((one) => status === undefined || one.status === status)].sort((a, b) =>
    a.record.payload.timestamp < b.record.payload.timestamp ? -1 : 1,
  );
  if (json) printJson(entries.map(rowOf), 2);
  else if (entries.length === 0)
    print(status === undefined ? 'No deliveries.' : `No deliveries with the status ${status}.`);
  else {
    table(entries);
    const waiting = entries.filter(({ record }) => record.status === 'pending');
    for (const url of new Set(waiting.map(({ record }) => record.url))) {
      const pause = pauseOf(state, url, Date.now());
      if (pause !== undefined)
        print(printable(`nothing is sent to ${url} until ${pause.until}: ${pause.why}`));
    }
  }
  for (const [file, reason] of queue.problems()) {
    console.error(
      `pressmark: deliveries/${printable(file)} is skipped, as it is not a delivery record: ${reason}; fix it or move it away`,
    );
    process.exitCode = 1;
  }
}

function rowOf({ id, connector, source, liveUrl, note, refused, record }: Entry) {
  const { payload, ...columns } = record;
  const { event, data } = payload;
  const article = { event, article: data.id, title: data.title };
  return { id, connector, source, ...article, liveUrl, note, refused, ...columns };
}

function table(entries: readonly Entry[]): void {
  const [heads = '', ...lines] = aligned([
    ['id', 'status', 'attempts', 'code', 'next', 'connector', 'source', 'link or error'],
    ...entries.map(({ id, connector, source, liveUrl, note, refused, record }) => [
      id,
      record.status,
      String(record.attempts),
      String(record.lastStatusCode ?? '–'),
      record.nextRetryAt ?? '–',
      connector,
      source,
      [record.lastError ?? liveUrl ?? note ?? '', refusal(refused)].filter((one) => one !== '').join('; '),
    ]),
  ]);
  print(paint('bold', `  ${heads}`));
  for (const [n, entry] of entries.entries()) print(`${markOf(entry)} ${lines[n]}`);
}

/** The reason and the time of a refused refresh; empty if none was refused. */
function refusal(refused: Entry['refused']): string {
  return refused === null ? '' : `not refreshed at ${refused.at}: ${refused.why}`;
}

function requireIds(ids: readonly string[], action: Action): readonly string[] {
  if (ids.length > 0) return ids;
  throw new PressmarkError(
    'USAGE',
    `${action} needs the ids of deliveries${action === 'retry' ? ', or all' : ''}: pressmark deliveries ${action} <id>`,
  );
}

/** Prints one delivery in full: the request of each attempt, and the result of the last one. */
function showOne(queue: Queue, id: string, { dir, json }: DeliveriesOptions): void {
  const entry = queue.read(id);
  if (entry === undefined) throw whyNot(queue, id, 'show');
  const { record, connector: name } = entry;
  const connector = findConnector(stateOf(dir), name);
  const body = envelopeBytes(record.payload);
  // Each attempt is signed again. The first one also sets the payload's moment, so its signature differs from this one.
  const headers =
    connector === undefined
      ? {}
      : eventHeaders(record.payload.event, body, recipientOf(connector, record.url));
  if (json) {
    printJson({ ...rowOf(entry), headers, payload: record.payload, answer: entry.answer }, 2);
    return;
  }
  print(standingOf(entry));
  print(`\nPOST ${printable(record.url)}`);
  for (const [header, value] of Object.entries(headers)) print(printable(`${header}: ${value}`));
  print(`\n${printableLines(JSON.stringify(record.payload, null, 2))}`);
  print(`\n${printable(`Last answer: ${answerOf(entry)}`)}`);
  if (entry.answer !== null && entry.answer !== '') print(printableLines(entry.answer));
  if (entry.refused !== null) print(`\n${printable(refusal(entry.refused))}`);
}

/** The recorded last answer: its status and its URL, or the first 200 characters of an error. */
function answerOf({ liveUrl, note, record: { lastStatusCode, lastError, status } }: Entry): string {
  if (lastError !== null) return lastError;
  if (status !== 'success') return 'none yet';
  return [`HTTP ${lastStatusCode}`, liveUrl ?? note].filter((part) => part !== null).join(', ');
}

/**
 * Retries, sends or cancels deliveries; `retry all` means every failed one.
 *
 * @throws PressmarkError USAGE with the reason for each named delivery that was not changed.
 */
async function change(
  queue: Queue,
  state: SenderState,
  ids: readonly string[],
  action: Asked,
  json: boolean,
): Promise<void> {
  const isAll = action === 'retry' && ids.includes('all');
  const failed = isAll ? [...queue.list((one) => one.status === 'failed')] : [];
  const changed: Entry[] = [];
  const refusals: string[] = [];
  for (const id of isAll ? failed.map((entry) => entry.id) : requireIds(ids, action)) {
    const entry = await queue.ask(id, action);
    if (entry === undefined) refusals.push(whyNot(queue, id, action).message);
    else changed.push(entry);
  }
  // A person who sends a delivery now does not want to wait for the end of the receiver's pause.
  if (action !== 'cancel') for (const { record } of changed) endPause(state, record.url);
  if (json && (isAll || changed.length > 0)) printJson(changed.map(rowOf), 2);
  if (!json) {
    for (const entry of changed) print(standingOf(entry));
    if (isAll) for (const why of refusals) print(printable(why));
    if (changed.length + refusals.length === 0)
      print('No delivery has failed for good. What waits is sent by pressmark work when it is due.');
    if (changed.length > 0 && action === 'retry')
      print(`${changed.length} to be sent again, by pressmark work or pressmark publish`);
    if (changed.length > 0 && action === 'send') print('pressmark work or pressmark publish sends it now.');
  }
  if (!isAll && refusals.length > 0) throw new PressmarkError('USAGE', refusals.join('; '));
}

function whyNot(queue: Queue, id: string, action: Action): PressmarkError {
  const entry = queue.read(id);
  if (entry === undefined)
    return new PressmarkError('USAGE', `there is no delivery ${quote(id)}; pressmark deliveries lists them`);
  const { status, payload } = entry.record;
  if (action !== 'retry') return new PressmarkError('USAGE', `${id} does not wait, it is ${status}`);
  return new PressmarkError(
    'USAGE',
    status === 'failed' && payload.event === 'article.updated'
      ? `${id} is a refresh of an article that has changed since (409); make a new one with pressmark refresh`
      : `${id} has not failed, it is ${status}`,
  );
}
