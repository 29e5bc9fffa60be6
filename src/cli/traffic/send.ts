import { readFileSync } from 'node:fs';
import { Argument, Command } from 'commander';
import { originOf, runningReceivers } from '../../app/running-receivers.js';
import { loadSettings } from '../../config/load.js';
import { messageOf, PressmarkError, quote } from '../../errors.js';
import { sampleArticle, sampleTest } from '../../sender/article/sample-event.js';
import {
  type Envelope,
  EVENT_NAMES,
  type EventName,
  envelopeOf,
  postEvent,
  type Recipient,
} from '../../sender/delivery/send-event.js';
import { example, parseUrl, serviceOption, withDir } from '../options.js';
import { printReply } from './replay.js';

interface SendOptions {
  readonly dir: string;
  readonly file?: string;
  readonly to?: string;
  readonly service?: Recipient['service'];
  readonly target?: string;
  readonly json?: boolean;
}

/** `pressmark send`: signs and sends one event. */
export function sendCommand(): Command {
  return withDir(new Command('send'))
    .addArgument(new Argument('<event>', 'what to send').choices(EVENT_NAMES))
    .option('--file <article.json>', 'data of the event; the rest is a sample')
    .option('--to <url>', 'the receiver’s URL (default: this site’s receiver on this machine)', parseUrl)
    .addOption(serviceOption())
    .option('--target <url>', 'the URL of the article to look up or update')
    .option('--json', 'print the status and the answer as JSON')
    .addHelpText(
      'after',
      example('pressmark send article.published --file article.json --to https://example.com/webhook'),
    )
    .action(async (event: EventName, options: SendOptions) => {
      const settings = await loadSettings(options.dir);
      const [secret] = settings.secrets;
      const service = options.service ?? settings.service;
      if (secret === undefined)
        throw new PressmarkError(
          'USAGE',
          'there is no secret to sign with; set PRESSMARK_SECRET, or run pressmark init',
        );
      const [receiver] = options.to === undefined ? await runningReceivers(settings) : [];
      const to = options.to ?? `${originOf(receiver ?? settings)}${settings.endpoint}`;
      const request = requestOf(event, { ...options, service });
      const reply = await postEvent({ url: to, secret, service }, request).catch((error: unknown) => {
        if (options.to !== undefined || receiver !== undefined || !isUnreachable(error)) throw error;
        throw new PressmarkError(
          'UNREACHABLE',
          `no receiver of this site is running (${to} cannot be reached); start it with pressmark start, or name another receiver with --to`,
          { cause: error },
        );
      });
      printReply(reply, options.json);
    });
}

function isUnreachable(error: unknown): error is PressmarkError {
  return error instanceof PressmarkError && error.code === 'UNREACHABLE';
}

/** Makes the request from the event's data in the file. */
function requestOf(event: EventName, { file, target, service }: SendOptions): Envelope {
  const read = file === undefined ? {} : readObject(file);
  // Both are equal in a service's requests (contract: Article, published_at).
  const timestamp = typeof read.published_at === 'string' ? read.published_at : new Date().toISOString();
  const given = { ...read, ...(target !== undefined && { target_url: target }) };
  return envelopeOf(event, dataOf(event, given, timestamp, service), timestamp);
}

function dataOf(
  event: EventName,
  given: Readonly<Record<string, unknown>>,
  timestamp: string,
  service: SendOptions['service'],
): Record<string, unknown> {
  if (event === 'webhook.test') return sampleTest(given);
  if (event === 'article.published') return sampleArticle(given, timestamp, service);
  if (!('target_url' in given))
    throw new PressmarkError('USAGE', `${event} needs the article’s public URL; give it with --target`);
  if (event === 'article.lookup') return given;
  for (const field of ['target_id', 'base_revision_id']) {
    if (!(field in given))
      throw new PressmarkError(
        'USAGE',
        `article.updated needs ${field} in --file; the answer to a lookup has it: pressmark send article.lookup --target <url>`,
      );
  }
  const article = sampleArticle(given, timestamp, service);
  return { revision_id: article.id, ...article };
}

function readObject(path: string): Record<string, unknown> {
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
