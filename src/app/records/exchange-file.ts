import type { DeliveryRecord, KeptHeader } from '../../host/records.js';
import type { Exchange } from '../../webhook/record.js';

/** A delivery as its file has it. */
export interface KeptExchange extends Exchange {
  readonly record: DeliveryRecord;
}

/** The line before the bytes of a delivery. */
interface Head {
  readonly record: DeliveryRecord;
  readonly headers: readonly KeptHeader[];
  /** The lengths of what follows, in bytes; null for nothing. */
  readonly body: number | null;
  readonly answer: number | null;
}

/** The bytes of a delivery in a file of several: a line of JSON, the body, the answer, a line break. */
export function bytesOf({ record, headers, body, answer }: KeptExchange): Buffer[] {
  const answered = answer === null ? null : Buffer.from(answer);
  const head: Head = { record, headers, body: body?.length ?? null, answer: answered?.length ?? null };
  const parts = [Buffer.from(`${JSON.stringify(head)}\n`), body, answered, Buffer.from('\n')];
  return parts.filter((part) => part !== null);
}

/** The deliveries in a file. Behind one that a killed process has written by half, nothing follows. */
export function exchangesIn(bytes: Buffer): KeptExchange[] {
  const found: KeptExchange[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\n', at);
    const head = end === -1 ? undefined : headIn(bytes.toString('utf8', at, end));
    if (head === undefined) break;
    const { record, headers, body, answer } = head;
    const from = end + 1;
    const middle = from + (body ?? 0);
    const last = middle + (answer ?? 0);
    if (bytes[last] !== 0x0a) break;
    found.push({
      record,
      headers,
      body: body === null ? null : bytes.subarray(from, middle),
      answer: answer === null ? null : bytes.toString('utf8', middle, last),
    });
    at = last + 1;
  }
  return found;
}

function headIn(line: string): Head | undefined {
  try {
    const head: Partial<Head> | null = JSON.parse(line);
    return typeof head?.record?.key === 'string' && Array.isArray(head.headers) ? (head as Head) : undefined;
  } catch {
    return undefined;
  }
}

/** What the name of a file says: when it was begun and by which process, how many deliveries it has, and how many bytes. */
export interface FileName {
  readonly name: string;
  /** The part that the keys of its deliveries begin with; the later file has the greater one. */
  readonly batch: string;
  readonly count: number;
  readonly bytes: number;
}

const NAME = /^([0-9a-z]{9}-[0-9a-f]{8})-(\d{1,6})-(\d{1,12})$/;

/** A file's name, read; undefined where it is that of another file. */
export function fileNameOf(name: string): FileName | undefined {
  const [, batch, count, bytes] = NAME.exec(name) ?? [];
  return batch === undefined ? undefined : { name, batch, count: Number(count), bytes: Number(bytes) };
}

/** The batch in the key of a delivery; undefined where it is no key. */
export function batchOf(key: string): string | undefined {
  return /^([0-9a-z]{9}-[0-9a-f]{8})-\d{1,6}$/.exec(key)?.[1];
}

/**
 * The files that go: the oldest, until what stays has at most so many deliveries and bytes.
 *
 * @param names in any order; those of other files count for nothing.
 */
export function filesToRemove(
  names: readonly string[],
  { deliveries, bytes }: { readonly deliveries: number; readonly bytes: number },
): string[] {
  const files = names.map(fileNameOf).filter((file) => file !== undefined);
  files.sort((one, other) => (one.batch < other.batch ? 1 : -1));
  let [count, size] = [0, 0];
  return files
    .filter((file) => {
      const isKept = count < deliveries && size + file.bytes <= bytes;
      count = isKept ? count + file.count : deliveries; // what is older than one that goes, goes too
      size += file.bytes;
      return !isKept;
    })
    .map(({ name }) => name);
}
