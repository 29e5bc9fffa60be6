import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf, systemCode } from '../errors.js';
import { tempPath } from '../fs/atomic-write.js';
import type { DeliveryQuery, DeliveryRecord } from '../host/records.js';
import type { Log } from '../log.js';

/** The last deliveries to the receivers of a site; see `openDeliveryLog`. */
export type DeliveryLog = ReturnType<typeof openDeliveryLog>;

const NAME = 'deliveries.jsonl';
const KEPT = 1_000;

/** A longer file is written anew with the newest records, in bytes. */
const LONGEST = 1_000_000;

/** How long records gather before they are written, in milliseconds. */
const WRITE_AFTER_MS = 200;

/** The longest texts of a record, in characters: they are sent by others. */
const LONGEST_TEXT = 500;

/**
 * Keeps the last deliveries on the disk, for people: a line for each, written some time after its answer. No body is kept,
 * and nothing of what was not verified. Each receiver on the folder appends its own.
 */
export function openDeliveryLog(stateDir: string, log: Log) {
  const path = join(stateDir, NAME);
  let unwritten: DeliveryRecord[] = [];
  let timer: NodeJS.Timeout | undefined;

  function note({ id, url, ...record }: DeliveryRecord): void {
    const short = (text: string | null) => text?.slice(0, LONGEST_TEXT) ?? null;
    unwritten.push({ ...record, id: short(id), url: short(url) });
    if (unwritten.length > KEPT) unwritten = unwritten.slice(-KEPT);
    timer ??= setTimeout(write, WRITE_AFTER_MS).unref();
  }

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    if (unwritten.length === 0) return;
    try {
      fs.appendFileSync(path, linesOf(unwritten), { mode: 0o600 });
      unwritten = [];
      if (fs.statSync(path).size > LONGEST) shorten();
    } catch (error) {
      log.debug({ reason: messageOf(error) }, `${NAME} cannot be written`);
    }
  }

  /** Lines that another receiver appends at the same moment may be lost. */
  function shorten(): void {
    const temp = tempPath(stateDir);
    fs.writeFileSync(temp, linesOf(readAll().slice(-KEPT)), { mode: 0o600 });
    fs.renameSync(temp, path);
  }

  function readAll(): DeliveryRecord[] {
    try {
      return fs.readFileSync(path, 'utf8').split('\n').flatMap(recordOf);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  /** The newest first. */
  function list({ limit = 50, event, id, refused }: DeliveryQuery = {}): DeliveryRecord[] {
    write();
    const matches = (record: DeliveryRecord) =>
      (event === undefined || record.event === event) &&
      (id === undefined || record.id === id) &&
      (refused === undefined || record.status >= 400 === refused);
    return [...readAll(), ...unwritten].slice(-KEPT).filter(matches).reverse().slice(0, limit);
  }

  return { note, list, close: write };
}

function linesOf(records: readonly DeliveryRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** A line that was cut off by a kill or a full disk is none. */
function recordOf(line: string): DeliveryRecord[] {
  try {
    const record: Partial<DeliveryRecord> | null = JSON.parse(line);
    return typeof record?.at === 'string' && typeof record.status === 'number'
      ? [record as DeliveryRecord]
      : [];
  } catch {
    return [];
  }
}
