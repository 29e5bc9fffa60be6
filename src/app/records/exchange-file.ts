import type { DeliveryRecord } from '../../host/records.js';
import type { Exchange } from '../../webhook/record.js';

/** A delivery with its request and answer, as kept in a file. */
export interface KeptExchange extends Exchange {
  readonly record: DeliveryRecord;
}

/** A delivery in its file: a line of JSON, then the bytes of the body. */
export function bytesOf({ record, headers, body, answer }: KeptExchange): Buffer[] {
  const line = JSON.stringify({ record, headers, answer, bodyBytes: body?.length ?? null });
  return [Buffer.from(`${line}\n`), ...(body === null ? [] : [body])];
}

/** The deliveries in a file, up to one that a killed process has left half-written. */
export function exchangesIn(file: Buffer): KeptExchange[] {
  const found: KeptExchange[] = [];
  for (let at = 0; ; ) {
    const start = file.indexOf('\n', at) + 1;
    if (start === 0) return found;
    const { bodyBytes, ...kept }: KeptLine = JSON.parse(file.toString('utf8', at, start));
    at = start + (bodyBytes ?? 0);
    if (at > file.length) return found;
    found.push({ ...kept, body: bodyBytes === null ? null : file.subarray(start, at) });
  }
}

/** The line of JSON before a body. */
interface KeptLine extends Omit<KeptExchange, 'body'> {
  readonly bodyBytes: number | null;
}

/** The parts of a file's name: its time and process, its number of deliveries, and its size in bytes. */
export interface FileName {
  readonly name: string;
  /** The prefix of its deliveries' keys; later files have greater ones. */
  readonly batch: string;
  readonly count: number;
  readonly bytes: number;
}

const NAME = /^([0-9a-z]{9}-[0-9a-f]{8})-(\d{1,6})-(\d{1,12})$/;

/** Parses a file's name; undefined for any other file. */
export function fileNameOf(name: string): FileName | undefined {
  const [, batch, count, bytes] = NAME.exec(name) ?? [];
  return batch === undefined ? undefined : { name, batch, count: Number(count), bytes: Number(bytes) };
}

/** The batch in a delivery's key; undefined if it is not a key. */
export function batchOf(key: string): string | undefined {
  return /^([0-9a-z]{9}-[0-9a-f]{8})-\d{1,6}$/.exec(key)?.[1];
}

/**
 * The oldest files, to be removed until the rest is within both limits.
 *
 * @param names in any order; other files are ignored.
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
      count = isKept ? count + file.count : deliveries; // all older files go too
      size += file.bytes;
      return !isKept;
    })
    .map(({ name }) => name);
}
