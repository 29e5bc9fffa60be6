import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../errors.js';

/** Something that somebody did in the admin. */
export interface AuditRecord {
  /** ISO 8601. */
  readonly at: string;
  /** The user's name. */
  readonly who: string;
  /** The network of the browser. */
  readonly from: string;
  /** `<page>:<action>`, such as `articles/edit:save`. */
  readonly what: string;
  /** What it was done to; missing where that is clear. */
  readonly about?: string;
  /** Why it was not done; missing where it was. */
  readonly refused?: string;
}

/** Who did what and when; see `openAudit`. */
export type AuditLog = ReturnType<typeof openAudit>;

const NAME = 'audit.jsonl';
/** How much of the file is read for the last records, in bytes. */
const TAIL = 500_000;
const LONGEST_TEXT = 500;

/** A file with a line for each thing that was done. Nothing is removed from it. @param folder that of the plugin. */
export function openAudit(folder: string) {
  const path = join(folder, NAME);

  /** Resolves when the record is on the disk. */
  async function note(record: AuditRecord): Promise<void> {
    const line = `${JSON.stringify(record, (_, value: unknown) =>
      typeof value === 'string' ? value.slice(0, LONGEST_TEXT) : value,
    )}\n`;
    const file = await open(path, 'a', 0o600);
    try {
      await file.appendFile(line); // in one write: receivers on one folder share the file
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** The last records, newest first. */
  async function last(limit: number): Promise<AuditRecord[]> {
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
      return lines.flatMap(recordOf).slice(-limit).reverse();
    } finally {
      await file.close();
    }
  }

  return { note, last };
}

/** A line that was cut off, by a kill or by the beginning of the part that was read, is none. */
function recordOf(line: string): AuditRecord[] {
  try {
    return [JSON.parse(line) as AuditRecord];
  } catch {
    return [];
  }
}
