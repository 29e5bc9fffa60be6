import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import { keepLines } from '../../fs/kept-lines.js';
import { checkKeys, misuseOf } from '../../host/invalid.js';
import type { DeliveryDetail, DeliveryQuery, DeliveryRecord, RefusedRequests } from '../../host/records.js';
import { hiddenTexts, type Log } from '../../log.js';
import type { Exchange, NewRecord, Notes } from '../../webhook/record.js';
import {
  batchOf,
  bytesOf,
  exchangesIn,
  fileNameOf,
  filesToRemove,
  type KeptExchange,
} from './exchange-file.js';

/** The last deliveries to the receivers of a site; see `openDeliveryLog`. */
export type DeliveryLog = ReturnType<typeof openDeliveryLog>;

/** The files of the log, below the state folder. */
const [LIST, REFUSALS, FOLDER] = ['deliveries.jsonl', 'refusals.jsonl', 'deliveries'];

/** The keys of a query. */
const CONDITIONS = ['limit', 'event', 'id', 'refused', 'status', 'text'];

const KEPT = 1_000;
const KEPT_REFUSALS = 100;

/** How much of requests and answers is kept, in bytes. */
const MOST_BYTES = 50_000_000;

/** How much may wait in memory for the disk, in bytes; once there is more, further deliveries are only listed. */
const MOST_WAITING = 8_000_000;

/** How long deliveries are collected for one file, in milliseconds. */
const WRITE_AFTER_MS = 200;

/** The longest text of a record, in characters, as texts come from outside. */
const LONGEST_TEXT = 500;

/**
 * Keeps the last deliveries on the disk, for people: one line for each, and a folder with requests and answers, in files of
 * several deliveries. They are written after the answers; on a full disk, only these records are lost. Of unverified requests,
 * only the number is kept. Each receiver on the site's folder writes its own files.
 *
 * @param secrets texts that are never kept.
 */
export function openDeliveryLog(stateDir: string, log: Log, secrets: () => readonly string[]) {
  const folder = join(stateDir, FOLDER);
  const onFailure = (error: unknown) =>
    log.debug({ reason: messageOf(error) }, 'deliveries cannot be noted for people');
  const list = keepLines<DeliveryRecord>({
    path: join(stateDir, LIST),
    keep: (lines) => lines.slice(-KEPT),
    isLine: (value): value is DeliveryRecord => hasFields(value, 'key', 'at'),
    onFailure,
  });
  const refusals = keepLines<RefusedRequests>({
    path: join(stateDir, REFUSALS),
    keep: (lines) => lines.slice(-KEPT_REFUSALS),
    isLine: (value): value is RefusedRequests => hasFields(value, 'at', 'outcome'),
    onFailure,
    longest: 100_000,
  });
  let batch = newBatch();
  let writing = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function delivery({ id, url, ...record }: NewRecord, exchange: Exchange): void {
    const short = (text: string | null) => text?.slice(0, LONGEST_TEXT) ?? null;
    const kept = { key: `${batch.name}-${batch.count++}`, ...record, id: short(id), url: short(url) };
    list.note(kept);
    if (batch.bytes > MOST_WAITING || batch.exchanges.length >= KEPT) return;
    batch.bytes += (exchange.body?.length ?? 0) + (exchange.answer?.length ?? 0);
    batch.exchanges.push({ record: kept, ...exchange });
    timer ??= setTimeout(write, WRITE_AFTER_MS).unref();
  }

  function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const { name, exchanges } = batch;
    if (exchanges.length > 0) {
      batch = newBatch();
      writing = writing.then(() => writeFile(name, exchanges)).catch(onFailure);
    }
    return writing;
  }

  async function writeFile(name: string, exchanges: readonly KeptExchange[]): Promise<void> {
    const hidden = [...secrets(), ...hiddenTexts()];
    const bytes = Buffer.concat(exchanges.flatMap((exchange) => bytesOf(withoutSecrets(exchange, hidden))));
    const path = join(folder, `${name}-${exchanges.length}-${bytes.length}`);
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      await fs.writeFile(path, bytes, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      await fs.rm(path, { force: true });
      throw error;
    }
    const old = filesToRemove(await fs.readdir(folder), { deliveries: KEPT, bytes: MOST_BYTES });
    await Promise.all(old.map((file) => fs.rm(join(folder, file), { force: true })));
  }

  /** The newest first. */
  async function deliveries(query: DeliveryQuery = {}): Promise<DeliveryRecord[]> {
    checkKeys(query, CONDITIONS, misuseOf('deliveries'));
    const { limit = 50 } = query;
    return list.all().filter(matching(query)).reverse().slice(0, limit);
  }

  async function detail(key: string): Promise<DeliveryDetail | undefined> {
    const name = batchOf(key);
    if (name === undefined) return undefined;
    await write();
    const exchange = (await exchangesOf(name)).find(({ record }) => record.key === key);
    if (exchange !== undefined) {
      const { record, ...kept } = exchange;
      return { ...record, ...kept };
    }
    const record = list.all().find((one) => one.key === key);
    return record && { ...record, headers: [], body: null, answer: null };
  }

  async function exchangesOf(name: string): Promise<KeptExchange[]> {
    try {
      const file = (await fs.readdir(folder)).find((file) => fileNameOf(file)?.batch === name);
      return file === undefined ? [] : exchangesIn(await fs.readFile(join(folder, file)));
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'no delivery can be read'); // none was kept yet, or it has made room
      return [];
    }
  }

  const notes: Notes = {
    delivery,
    refused: (refused) => refusals.note({ at: new Date().toISOString(), ...refused }),
  };
  return {
    notes,
    list: deliveries,
    detail,
    refusals: async () => refusals.all().reverse(),
    close: async () => void (await Promise.all([write(), list.close(), refusals.close()])),
  };
}

/** A batch of deliveries that are written together. */
function newBatch() {
  const name = `${Date.now().toString(36).padStart(9, '0')}-${randomBytes(4).toString('hex')}`;
  return { name, count: 0, bytes: 0, exchanges: [] as KeptExchange[] };
}

/** A function that tests deliveries by a query. */
function matching({ event, id, refused, status, text }: DeliveryQuery): (record: DeliveryRecord) => boolean {
  const sought = text?.toLowerCase();
  return (record) =>
    (event === undefined || record.event === event) &&
    (id === undefined || record.id === id) &&
    (refused === undefined || record.status >= 400 === refused) &&
    (status === undefined || record.status === status) &&
    (sought === undefined ||
      [record.id, record.url, record.event, record.outcome, record.adapter].some((field) =>
        field?.toLowerCase().includes(sought),
      ));
}

function withoutSecrets(exchange: KeptExchange, secrets: readonly string[]): KeptExchange {
  const { headers, body, answer } = exchange;
  return {
    ...exchange,
    headers: headers.map(({ name, value }) => ({ name, value: value && withoutAny(value, secrets) })),
    body: body && bytesWithoutAny(body, secrets),
    answer: answer && withoutAny(answer, secrets),
  };
}

function withoutAny(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), text);
}

function bytesWithoutAny(bytes: Buffer, secrets: readonly string[]): Buffer {
  const found = secrets.filter((secret) => bytes.includes(secret));
  if (found.length === 0) return bytes;
  const inLatin1 = found.map((secret) => Buffer.from(secret).toString('latin1'));
  return Buffer.from(withoutAny(bytes.toString('latin1'), inLatin1), 'latin1');
}

/** Whether a parsed line has these texts. */
function hasFields(value: unknown, ...names: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  return names.every((name) => typeof fields[name] === 'string') && typeof fields.status === 'number';
}
