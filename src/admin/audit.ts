import { mkdirSync, renameSync, statSync } from 'node:fs';
import { appendFile, type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PressmarkError, systemCode } from '../errors.js';
import type { PluginStorage } from '../host/storage.js';

/**
 * An action that a user is about to do in the admin. A second record follows if it was refused, or if its object is only known
 * afterwards.
 */
export interface AuditRecord {
  /** ISO 8601. */
  readonly at: string;
  /** The user's name. */
  readonly who: string;
  /** The network of the browser; `terminal` for a command. */
  readonly from: string;
  /** `<page>:<action>`, such as `articles/edit:save`. */
  readonly what: string;
  /** The object of the action; undefined if it is clear. */
  readonly about?: string;
  /** The reason why it was refused; undefined if it was done. */
  readonly refused?: string;
}

/** See `openAudit`. */
export type AuditLog = ReturnType<typeof openAudit>;

const NAME = 'audit.jsonl';
/** The older records, which are kept until the file is full again. */
const OLDER = 'audit.older.jsonl';
/** The largest size of the file, in bytes: usually more than 10,000 records. */
const MOST_BYTES = 2_000_000;
/** How much of a file is read for the last records, in bytes. */
const TAIL = 500_000;
const LONGEST_TEXT = 500;

/** Opens the audit log, a file with one line for each action. @param storage the plugin's storage. */
export function openAudit(storage: PluginStorage, mostBytes = MOST_BYTES) {
  const { folder } = storage;
  const path = join(folder, NAME);

  /** Resolves when the record is on the disk. @throws PressmarkError STORE_FAILED. */
  async function note(record: AuditRecord): Promise<void> {
    const line = `${JSON.stringify(record, (_, value: unknown) =>
      typeof value === 'string' ? value.slice(0, LONGEST_TEXT) : value,
    )}\n`;
    try {
      mkdirSync(folder, { recursive: true });
      if (isFull()) await beginAnew();
      await appendFile(path, line, { mode: 0o600, flush: true }); // in one write: receivers on one folder share the file
    } catch (cause) {
      const why = systemCode(cause) ?? messageOf(cause);
      throw new PressmarkError('STORE_FAILED', `the audit log cannot be written (${why})`, { cause });
    }
  }

  function isFull(): boolean {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= mostBytes;
  }

  /** Starts a new file, unless another receiver has just done it. */
  async function beginAnew(): Promise<void> {
    await storage.update('audit', () => {
      if (isFull()) renameSync(path, join(folder, OLDER));
      return { since: new Date().toISOString() };
    });
  }

  /** The last records, newest first. */
  async function last(limit: number): Promise<AuditRecord[]> {
    const records = await recordsIn(path);
    if (records.length < limit) records.unshift(...(await recordsIn(join(folder, OLDER))));
    return records.slice(-limit).reverse();
  }

  return { note, last };
}

/** The last records of a file, oldest first. */
async function recordsIn(path: string): Promise<AuditRecord[]> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - TAIL);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    return lines.flatMap(recordOf);
  } finally {
    await file.close();
  }
}

/** Parses a line; one that was cut off, by a kill or by the start of the read part, is skipped. */
function recordOf(line: string): AuditRecord[] {
  try {
    return [JSON.parse(line) as AuditRecord];
  } catch {
    return [];
  }
}
