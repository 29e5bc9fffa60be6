import fs from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { messageOf, PressmarkError, quote, systemCode } from '../../errors.js';

/** Header names and values in turn, as they were sent. */
const rawHeaders = z.array(z.string());

const recording = z.object({
  receivedAt: z.string(),
  method: z.string(),
  path: z.string(),
  headers: rawHeaders,
  /** Base64: the bytes are signed. */
  body: z.string(),
  answer: z.object({ status: z.number(), headers: rawHeaders, body: z.string(), ms: z.number() }).optional(),
});

/** A request and its answer in a file; the file holds the signature, and no secret. */
export type Recording = z.output<typeof recording>;

/**
 * Writes recordings into a folder, `0001-article.published.json` and on; the numbers go on where the folder's end.
 *
 * @returns a function that writes one and returns the file's path.
 */
export function recorderIn(folder: string): (what: string, one: Recording) => string {
  fs.mkdirSync(folder, { recursive: true });
  const numbers = fs.readdirSync(folder).map((name) => Number(/^(\d+)-/.exec(name)?.[1] ?? 0));
  let last = Math.max(0, ...numbers);
  return (what, one) => {
    const text = `${JSON.stringify(one, null, 2)}\n`;
    for (;;) {
      const file = join(folder, `${String(++last).padStart(4, '0')}-${what.replace(/[^a-z.]/g, '')}.json`);
      try {
        fs.writeFileSync(file, text, { flag: 'wx' });
        return file;
      } catch (error) {
        if (systemCode(error) !== 'EEXIST') throw error; // another one records there
      }
    }
  };
}

/** A recorded request. @throws PressmarkError USAGE if the file holds none. */
export function readRecording(file: string): Recording {
  try {
    return recording.parse(JSON.parse(fs.readFileSync(file, 'utf8')));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? (cause.issues[0]?.message ?? '') : messageOf(cause);
    throw new PressmarkError(
      'USAGE',
      `${quote(file, 200)} is no recording of pressmark listen --record: ${why}`,
      { cause },
    );
  }
}
