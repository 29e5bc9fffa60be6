import { readFileSync } from 'node:fs';
import { Argument, Command } from 'commander';
import { loadSettings } from '../../config/load.js';
import { messageOf, PressmarkError, quote } from '../../errors.js';
import { sampleArticle, sampleTest } from '../../sender/article/sample-event.js';
import { EVENT_NAMES, type EventName, envelopeOf, postEvent } from '../../sender/delivery/send-event.js';
import { example, withDir } from '../options.js';
import { printableLines } from '../terminal.js';

interface SendOptions {
  readonly dir: string;
  readonly file?: string;
  readonly to?: string;
  readonly target?: string;
  readonly json?: boolean;
}

/** `pressmark send`: signs and posts one event. */
export function sendCommand(): Command {
  return withDir(new Command('send'))
    .description('sign and post one event, and print the answer')
    .addArgument(new Argument('<event>', 'what to send').choices(EVENT_NAMES))
    .option('--file <article.json>', 'the event’s data as JSON; fields that are missing come from a sample')
    .option('--to <url>', 'the receiver’s URL (default: this site’s, on this machine)')
    .option('--target <url>', 'the article’s public URL, for article.lookup')
    .option('--json', 'print the status and the answer as JSON')
    .addHelpText(
      'after',
      example('pressmark send article.published --file article.json --to https://example.com/webhook'),
    )
    .action(async (event: EventName, options: SendOptions) => {
      const settings = await loadSettings(options.dir);
      const [secret] = settings.secrets;
      if (secret === undefined)
        throw new PressmarkError(
          'USAGE',
          'there is no secret to sign with; set PRESSMARK_SECRET, or run pressmark init',
        );
      const to = options.to ?? `http://localhost:${settings.port}${settings.endpoint}`;
      if (!/^https?:/i.test(to) || !URL.canParse(to))
        throw new PressmarkError(
          'USAGE',
          `--to ${quote(to)} is no http(s) URL; give one such as https://example.com/webhook`,
        );
      const timestamp = new Date().toISOString();
      const envelope = envelopeOf(event, dataOf(event, options, timestamp), timestamp);
      const { status, body: bytes, ms, incomplete } = await postEvent({ url: to, secret }, envelope);
      const body = bytes.toString();
      if (incomplete !== undefined) console.error(`pressmark: the answer ${incomplete}`);
      if (options.json) console.log(JSON.stringify({ status, ms, body }));
      else console.log(`${status} in ${ms} ms\n${process.stdout.isTTY ? printableLines(body) : body}`);
      if (status < 200 || status > 299) process.exitCode = 1;
    });
}

function dataOf(event: EventName, { file, target }: SendOptions, timestamp: string): Record<string, unknown> {
  const given = {
    ...(file !== undefined && readData(file)),
    ...(target !== undefined && { target_url: target }),
  };
  if (event === 'webhook.test') return sampleTest(given);
  if (event === 'article.published') return sampleArticle(given, timestamp);
  if (!('target_url' in given))
    throw new PressmarkError('USAGE', `${event} needs the article’s public URL; give it with --target`);
  if (event === 'article.lookup') return given;
  for (const field of ['target_id', 'base_revision_id']) {
    if (!(field in given))
      throw new PressmarkError(
        'USAGE',
        `article.updated needs ${field} in --file; a lookup tells it: pressmark send article.lookup --target <url>`,
      );
  }
  const article = sampleArticle(given, timestamp);
  return { revision_id: article.id, ...article };
}

function readData(path: string): Record<string, unknown> {
  try {
    const data: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof data === 'object' && data !== null && !Array.isArray(data))
      return data as Record<string, unknown>;
  } catch (cause) {
    throw new PressmarkError('USAGE', `--file ${quote(path, 200)} cannot be read: ${messageOf(cause)}`, {
      cause,
    });
  }
  throw new PressmarkError('USAGE', `--file ${quote(path, 200)} must hold a JSON object, the event’s data`);
}
