import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import { hasFailed } from '../../conformance/outcome.js';
import { rulesList } from '../../conformance/report/markdown.js';
import { checkSender } from '../../conformance/sender/check-sender.js';
import type { SenderDriver, Step } from '../../conformance/sender/driver.js';
import { SENDER_RULES } from '../../conformance/sender/rules/all.js';
import { CLOCK } from '../../sender/clock.js';
import { DEFAULT_SERVICE } from '../../sender/delivery/send-event.js';
import { example, parseUrl, secretOf, serviceOption, withPort, withSecret } from '../options.js';
import { interruptSignal } from '../signals.js';
import { askPerson } from '../terminal.js';
import { requireFoldersOf } from '../written-files.js';
import { ownSender } from './own-sender.js';
import { parseList, type ReportOptions, withReports, writeReports } from './reports.js';

interface CheckSenderOptions extends ReportOptions {
  readonly listen?: boolean;
  readonly host: string;
  readonly port?: number;
  readonly url?: string;
  readonly secret?: string;
  readonly service?: typeof DEFAULT_SERVICE;
  readonly only?: string[];
  readonly skip?: string[];
  readonly list?: boolean;
}

const PORT = 8789;

/** `pressmark check-sender`: checks a sender against the contract, rule by rule. */
export function checkSenderCommand(): Command {
  const command = withSecret(withPort(new Command('check-sender')), 'one for this check')
    .option('--listen', 'guide another sender step by step')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--url <origin>', 'the address for the sender, such as a tunnel’s', parseUrl)
    .addOption(serviceOption())
    .option('--only <rules>', 'only these rules: names or numbers, with commas', parseList)
    .option('--skip <rules>', 'all but these rules', parseList);
  return withReports(command)
    .option('--list', 'print all rules, and send nothing')
    .addHelpText('after', example('pressmark check-sender --listen --port 8789'))
    .action(async (options: CheckSenderOptions) => {
      if (options.list) console.log(rulesList(SENDER_RULES));
      else await check(options);
    });
}

async function check(options: CheckSenderOptions): Promise<void> {
  const { listen, host, port, url, only, skip, service = DEFAULT_SERVICE } = options;
  requireFoldersOf(options.markdown, options.html);
  const secret = await secretOf(options.secret, randomBytes(24).toString('hex'));
  const signal = interruptSignal();
  const own = listen ? undefined : ownSender(service);
  const driver = own ?? anySender(options.secret === undefined, signal);
  if (listen)
    console.error(
      'The waits between all attempts take 8 hours and 36 minutes, and a seventh is looked for 6 hours longer. Ctrl-C ends the check with what was seen.',
    );
  try {
    const report = await checkSender({
      driver,
      sender: listen ? 'The sender that was pointed here' : 'Pressmark’s own sender',
      host,
      port: port ?? (listen ? PORT : 0),
      publicOrigin: url === undefined ? undefined : new URL(url).origin,
      secret,
      service,
      only,
      skip,
      signal,
    });
    writeReports(report, options);
    if (hasFailed(report) || signal.aborted || report.requests === 0) process.exitCode = 1;
  } finally {
    own?.close();
  }
}

/** How long to wait after a step for requests that must not come, in milliseconds. */
const QUIET_MS = 2000;

/**
 * Drives any sender in real time by asking a person for each step.
 *
 * @param isNewSecret whether the secret was created for this check, so that it must be shown.
 * @param signal ends waits.
 */
function anySender(isNewSecret: boolean, signal: AbortSignal): SenderDriver {
  return {
    now: Date.now,
    take: async (step, seen) => {
      await askPerson(`${requestOf(step, isNewSecret)} (press Enter to continue without it)`, signal, seen);
      await pause(QUIET_MS);
    },
    passTo: (moment) => CLOCK.wait(Math.max(0, moment - Date.now()), signal),
  };
}

function requestOf(step: Step, isNewSecret: boolean): string {
  switch (step.kind) {
    case 'connect':
      return `Point your service at ${step.url} ${isNewSecret ? `with the secret ${step.secret}` : 'with the secret that you gave'}`;
    case 'publish':
      return `Publish ${step.count} new article${step.count === 1 ? '' : 's'}.`;
    case 'refresh':
      return `Refresh the article ${step.url}`;
    case 'kill':
      return 'An article is being sent: end your service at once, as with kill -9, and start it again.';
  }
}
