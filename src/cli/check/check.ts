import fs from 'node:fs';
import { Command } from 'commander';
import * as z from 'zod';
import { loadSettings } from '../../config/load.js';
import { hasFailed } from '../../conformance/outcome.js';
import { rulesList } from '../../conformance/report/markdown.js';
import { RULES } from '../../conformance/rules/all.js';
import { type ConformanceOptions, checkReceiver } from '../../conformance/run.js';
import type { PersonsStep } from '../../conformance/session.js';
import { PressmarkError, quote } from '../../errors.js';
import { findConnector } from '../../sender/connectors.js';
import { DEFAULT_SERVICE } from '../../sender/delivery/send-event.js';
import { stateOf } from '../../sender/state.js';
import { example, numberThat, parseUrl, secretOf, serviceOption, withDir, withSecret } from '../options.js';
import { interruptSignal } from '../signals.js';
import { askPerson, progressLine } from '../terminal.js';
import { requireFoldersOf } from '../written-files.js';
import { parseList, type ReportOptions, withReports, writeReports } from './reports.js';

interface CheckOptions extends ReportOptions {
  readonly dir: string;
  readonly secret?: string;
  readonly service?: ConformanceOptions['service'];
  readonly rate: number;
  readonly as?: 1 | 2 | 3;
  readonly only?: string[];
  readonly skip?: string[];
  readonly baseline?: string;
  readonly readOnly?: boolean;
  readonly target?: string;
  readonly articleUrl?: string;
  readonly public?: boolean;
  readonly publicAt?: string;
  readonly publicWait: number;
  readonly manual?: boolean;
  readonly strict?: boolean;
  readonly list?: boolean;
}

const parsePositive = numberThat('It has to be more than 0.', (value) => value > 0);
const parseRate = numberThat('It has to be a whole number from 1.', (n) => Number.isInteger(n) && n >= 1);
const parseVersion = numberThat('It has to be 1, 2 or 3.', (version) => [1, 2, 3].includes(version));

/** `pressmark check`: checks any receiver against the contract, rule by rule. */
export function checkCommand(): Command {
  const command = withSecret(withDir(new Command('check')))
    .argument('[url]', 'the receiver’s URL, or a connector’s name')
    .addOption(serviceOption())
    .option('--read-only', 'send only tests and lookups')
    .option('--target <url>', 'an existing article to look up', parseUrl)
    .option('--public', 'check the article’s page too')
    .option('--public-at <origin>', 'the same, before the site is public', parseUrl)
    .option('--public-wait <seconds>', 'seconds to wait for a page', parsePositive, 60)
    .option('--as <version>', 'check as a receiver of this version', parseVersion)
    .option('--article-url <pattern>', 'URLs, if answers have none: https://…/{slug}/')
    .option('--only <rules>', 'only these rules: names or numbers, with commas', parseList)
    .option('--skip <rules>', 'all but these rules', parseList)
    .option('--baseline <file>', 'an earlier --json report; its failures do not count')
    .option('--rate <n>', 'the most requests per second', parseRate, 20)
    .option('--strict', 'advice fails the check, too')
    .option('--manual', 'ask a person for an edit and a restart');
  return withReports(command)
    .option('--list', 'print all rules, and send nothing')
    .addHelpText('after', example('PRESSMARK_SECRET=… pressmark check https://example.com/webhook'))
    .action(async (url: string | undefined, options: CheckOptions) => {
      if (options.list)
        console.log(rulesList(RULES)); // the requested output, even with --quiet
      else await check(url, options);
    });
}

async function check(named: string | undefined, options: CheckOptions): Promise<void> {
  requireFoldersOf(options.markdown, options.html);
  const receiver = await receiverOf(named, options);
  const signal = interruptSignal();
  const line = progressLine();
  const ask = (step: PersonsStep) => {
    line.clear();
    return askPerson(requestOf(step), signal);
  };
  const report = await checkReceiver({
    signal,
    ...receiver,
    rate: options.rate,
    readOnly: options.readOnly ?? false,
    as: options.as,
    only: options.only,
    skip: options.skip,
    known: options.baseline === undefined ? undefined : failedIn(options.baseline),
    strict: options.strict,
    target: options.target,
    articleUrl: options.articleUrl === undefined ? undefined : articlePattern(options.articleUrl),
    pages: pagesOf(options),
    ask: options.manual ? ask : undefined,
    onOutcome: ({ rule }, done, of) =>
      done === of ? line.clear() : line.show(`${done} of ${of}: ${rule.id}`),
  });
  writeReports(report, options);
  if (hasFailed(report) || signal.aborted) process.exitCode = 1;
}

function requestOf(step: PersonsStep): string {
  const what =
    step.kind === 'edit'
      ? `Edit the article ${quote(step.title, 80)} (${step.url}) in the receiver’s own admin: change a word, and save it.`
      : 'Restart the receiver, and wait until it answers.';
  return `${what} Then press Enter.`;
}

/** The receiver at a URL with the given secret, or the receiver of a named connector with the connector's secret. */
async function receiverOf(named: string | undefined, { dir, secret, service }: CheckOptions) {
  const connector = named === undefined ? undefined : findConnector(stateOf(dir), named);
  const url = receiverUrl(connector?.url ?? named);
  // Without settings if everything is given, as the site's config may be invalid.
  const settings = connector === undefined && secret === undefined ? await loadSettings(dir) : undefined;
  return {
    url,
    secret: await secretOf(secret, connector?.secret ?? settings?.secrets[0]),
    service: service ?? connector?.service ?? settings?.service ?? DEFAULT_SERVICE,
  };
}

function pagesOf({ public: wanted, publicAt, publicWait }: CheckOptions) {
  if (!wanted && publicAt === undefined) return undefined;
  return { origin: publicAt === undefined ? undefined : new URL(publicAt).origin, waitMs: publicWait * 1000 };
}

const REPORT = z.object({ rules: z.array(z.object({ id: z.string(), result: z.string() })) });

/** The rules that failed according to an earlier report. @throws PressmarkError USAGE */
function failedIn(file: string): string[] {
  try {
    const { rules } = REPORT.parse(JSON.parse(fs.readFileSync(file, 'utf8')));
    return rules.filter(({ result }) => result === 'failed' || result === 'known').map(({ id }) => id);
  } catch (cause) {
    throw new PressmarkError(
      'USAGE',
      `${quote(file, 200)} cannot be read as a report of pressmark check --json; write one with --json > ${quote(file, 200)}`,
      { cause },
    );
  }
}

/** The receiver’s URL. @throws PressmarkError USAGE */
function receiverUrl(text: string | undefined): URL {
  if (text === undefined)
    throw new PressmarkError(
      'USAGE',
      'the receiver’s URL is missing; write pressmark check https://example.com/webhook',
    );
  if (!/^https?:\/\/./i.test(text) || !URL.canParse(text))
    throw new PressmarkError(
      'USAGE',
      `${quote(text, 80)} is neither an http(s) URL such as https://example.com/webhook nor the name of a connector`,
    );
  const url = new URL(text);
  try {
    decodeURIComponent(`${url.username}:${url.password}`);
  } catch (cause) {
    throw new PressmarkError('USAGE', 'the URL’s user and password cannot be decoded; write a % as %25', {
      cause,
    });
  }
  return url;
}

/** A pattern of articles’ URLs. @throws PressmarkError USAGE */
function articlePattern(text: string): string {
  const filled = text.replaceAll('{slug}', 'a').replaceAll('{id}', 'a');
  if (/^https?:\/\//i.test(text) && filled !== text && URL.canParse(filled)) return text;
  throw new PressmarkError(
    'USAGE',
    `--article-url ${quote(text, 80)} is not a pattern with {slug} or {id}; give one such as https://example.com/articles/{slug}/`,
  );
}
