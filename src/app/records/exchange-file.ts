import type { DeliveryRecord } from '../../host/records.js';
import type { Exchange } from '../../webhook/record.js';

/** A delivery as its file has it. */
export interface KeptExchange extends Exchange {
  readonly record: DeliveryRecord;
}

/** A delivery in a file of several: a line of JSON. */
export function lineOf({ record, headers, body, answer }: KeptExchange): string {
  return `${JSON.stringify({ record, headers, body: body?.toString('base64') ?? null, answer })}\n`;
}

/** The deliveries in a file, up to the first that a killed process has written by half. */
export function exchangesIn(text: string): KeptExchange[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => {
    const { body, ...kept }: Omit<KeptExchange, 'body'> & { readonly body: string | null } = JSON.parse(line);
    return { ...kept, body: body === null ? null : Buffer.from(body, 'base64') };
  });
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

/** A file's name, read; undefined if it is that of another file. */
export function fileNameOf(name: string): FileName | undefined {
  const [, batch, count, bytes] = NAME.exec(name) ?? [];
  return batch === undefined ? undefined : { name, batch, count: Number(count), bytes: Number(bytes) };
}

/** The batch in the key of a delivery; undefined if it is no key. */
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
      count = isKept ? count + file.count : deliveries; // all older files go too
      size += file.bytes;
      return !isKept;
    })
    .map(({ name }) => name);
}
