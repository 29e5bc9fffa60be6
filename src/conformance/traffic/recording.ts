import fs from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { messageOf, PressmarkError, quote, systemCode } from '../../errors.js';

/** Names and values of the headers in turn, unchanged. */
const rawHeaders = z.array(z.string());

const recording = z.object({
  receivedAt: z.string(),
  method: z.string(),
  path: z.string(),
  headers: rawHeaders,
  /** Base64, as the signature covers the bytes. */
  body: z.string(),
  answer: z.object({ status: z.number(), headers: rawHeaders, body: z.string(), ms: z.number() }).optional(),
});

/** A request and its answer in a file, which contains the signature and no secret. */
export type Recording = z.output<typeof recording>;

/**
 * Makes a function that writes recordings into a folder, as `0001-article.published.json` and so on; the numbers continue after
 * those in the folder.
 *
 * @returns a function that writes one recording and returns the path of its file.
 */
export function recorderIn(folder: string): (what: string, one: Recording) => string {
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
        if (systemCode(error) !== 'EEXIST') throw error; // another process records there
      }
    }
  };
}

/** Reads a recorded request. @throws PressmarkError USAGE if the file contains none. */
export function readRecording(file: string): Recording {
  try {
    return recording.parse(JSON.parse(fs.readFileSync(file, 'utf8')));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? (cause.issues[0]?.message ?? '') : messageOf(cause);
    throw new PressmarkError(
      'USAGE',
      `${quote(file, 200)} is not a recording made by pressmark listen --record: ${why}`,
      { cause },
    );
  }
}
