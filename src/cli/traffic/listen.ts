import { once } from 'node:events';
import { Command, InvalidArgumentError } from 'commander';
import { loadSettings } from '../../config/load.js';
import { type ListenOptions, listen, type Observed } from '../../conformance/traffic/listener.js';
import { recorderIn } from '../../conformance/traffic/recording.js';
import { messageOf } from '../../errors.js';
import {
  example,
  numberThat,
  parseUrl,
  secretOf,
  serviceOption,
  withDir,
  withPort,
  withSecret,
} from '../options.js';
import { marked, print, printable, printJson, tell } from '../terminal.js';
import { makeNamedFolder } from '../written-files.js';

interface ListenCommandOptions {
  readonly dir: string;
  readonly port?: number;
  readonly host: string;
  readonly secret?: string;
  readonly service?: ListenOptions['service'];
  readonly forwardTo?: string;
  readonly record?: string;
  readonly answer?: number[];
  readonly delay?: number;
  readonly verbose?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const PORT = 8788;

const parseDelay = numberThat('It has to be a number from 0 to 600000.', (ms) => ms <= 600_000);

/** `pressmark listen`: acts as a receiver, or as a proxy before one, and checks the requests and answers. */
export function listenCommand(): Command {
  return withSecret(withPort(withDir(new Command('listen'))))
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .addOption(serviceOption())
    .option('--forward-to <url>', 'forward each request to this receiver', parseUrl)
    .option('--record <folder>', 'write requests and answers there')
    .option('--answer <statuses>', 'the first statuses, such as 503,503,200', parseStatuses)
    .option('--delay <ms>', 'wait before each answer, in milliseconds', parseDelay)
    .option('--verbose', 'print headers and bodies too')
    .option('--json', 'print a line of JSON for each request, as a pipe gets it')
    .addHelpText('after', example('pressmark listen --forward-to http://localhost:8787/webhook'))
    .action(run);
}

async function run({
  dir,
  port = PORT,
  host,
  forwardTo,
  record,
  answer,
  delay,
  ...options
}: ListenCommandOptions): Promise<void> {
  const settings = await loadSettings(dir);
  const secret = await secretOf(options.secret, settings.secrets[0]);
  const service = options.service ?? settings.service;
  if (record !== undefined) makeNamedFolder(record);
  const keep = record === undefined ? undefined : recorderIn(record);
  const asJson = options.json === true || process.stdout.isTTY !== true;
  const { url, close } = await listen({
    host,
    port,
    secret,
    service,
    forwardTo: forwardTo === undefined ? undefined : new URL(forwardTo),
    statuses: answer,
    delayMs: delay,
    onExchange: (exchange) => {
      const file = recorded(keep, exchange);
      if (options.quiet && !options.json) return;
      if (asJson) printJson({ ...inShort(exchange), ...(file !== undefined && { file }) });
      else print(linesOf(exchange, options.verbose ?? false).join('\n'));
    },
  });
  const behind =
    forwardTo === undefined
      ? 'answers itself, and keeps articles until it ends'
      : `passes on to ${forwardTo}`;
  tell(`pressmark listen: ${url}/ ${behind}; every path is the webhook. Ctrl-C ends it.`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await close();
}

/** Records an exchange. A failure is reported and does not stop the command. */
function recorded(keep: ReturnType<typeof recorderIn> | undefined, exchange: Observed): string | undefined {
  try {
    return keep?.(exchange.request.delivery?.event ?? 'unknown', exchange.recording);
  } catch (error) {
    console.error(`pressmark listen: this request is not recorded: ${messageOf(error)}`);
    return undefined;
  }
}

function inShort({ request: { signature, delivery }, status, ms, findings, recording }: Observed) {
  const id = delivery?.data && 'id' in delivery.data ? delivery.data.id : undefined;
  const url = delivery?.event === 'article.lookup' ? delivery.data.target_url : undefined;
  return { time: recording.receivedAt, event: delivery?.event, signature, id, url, status, ms, findings };
}

function linesOf(exchange: Observed, verbose: boolean): string[] {
  const { time, event = 'no event', signature, id, url, status, ms, findings } = inShort(exchange);
  const head = `${time.slice(11, 19)}  ${event}  ${status} in ${ms} ms  signature ${signature}  ${id ?? url ?? ''}`;
  const below = [
    ...findings.map(({ section, says }) => `    ${says} (contract: ${section})`),
    ...(verbose ? wholeLines(exchange) : []),
  ];
  return [
    `${marked(findings.length === 0 ? 'ok' : 'warn')} ${printable(head.trimEnd())}`,
    ...below.map(printable),
  ];
}

function wholeLines({ recording: { method, path, headers, body, answer } }: Observed): string[] {
  return [
    `    > ${method} ${path}`,
    ...headerLines(headers, '>'),
    `    > ${Buffer.from(body, 'base64').toString()}`,
    ...(answer === undefined
      ? []
      : [
          `    < ${answer.status}`,
          ...headerLines(answer.headers, '<'),
          `    < ${Buffer.from(answer.body, 'base64').toString()}`,
        ]),
  ];
}

function headerLines(raw: readonly string[], sign: string): string[] {
  return raw.flatMap((name, n) => (n % 2 === 0 ? [`    ${sign} ${name}: ${raw[n + 1]}`] : []));
}

function parseStatuses(text: string): number[] {
  const statuses = text.split(',').map((one) => Number(one.trim()));
  if (statuses.some((status) => !Number.isInteger(status) || status < 200 || status > 599))
    throw new InvalidArgumentError('It has to be statuses from 200 to 599 with commas between them.');
  return statuses;
}
