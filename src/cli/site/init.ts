import fs from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Command, Option } from 'commander';
import { hasTrackedOutput } from '../../app/build/output-in-git.js';
import { siteFiles } from '../../app/content/site-files.js';
import {
  type Answers,
  assumption,
  flagText,
  type InitQuestion,
  withAnswer,
  withService,
} from '../../app/init/answers.js';
import { applyChanges, diffOf } from '../../app/init/changes.js';
import {
  askSite,
  existingConfig,
  type Inspection,
  inspectSite,
  PLAIN,
  type Recognition,
  recogniseSite,
} from '../../app/init/inspect-site.js';
import { type InitPlan, planInit, replacedOutput } from '../../app/init/plan.js';
import { type Reading, readingReport } from '../../app/init/reading-report.js';
import { loadSettings } from '../../config/load.js';
import { GENERATOR_NAMES } from '../../config/schema.js';
import { PressmarkError, quote } from '../../errors.js';
import { example, serviceOption, withDir } from '../options.js';
import { marked, paint, print, printable, printableLines, printJson } from '../terminal.js';

interface Options {
  readonly dir: string;
  readonly generator?: string;
  readonly siteUrl?: string;
  readonly service?: Parameters<typeof withService>[1];
  readonly content?: string;
  readonly file?: string;
  readonly permalink?: string;
  readonly output?: string;
  readonly build?: string;
  readonly key?: readonly string[];
  readonly frontMatter?: readonly string[];
  readonly body?: 'markdown' | 'html';
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** `pressmark init`: turns a folder into a Pressmark site. */
export function initCommand(): Command {
  return withDir(new Command('init'))
    .option('--generator <name>', `${GENERATOR_NAMES.slice(1).join(', ')}, or plain, which is Pressmark`)
    .option('--site-url <url>', 'the site’s public address')
    .addOption(serviceOption())
    .option('--content <folder>', 'the folder of article files')
    .option('--file <pattern>', 'a new article’s file: posts/:slug.md')
    .option('--permalink <pattern>', 'a new article’s URL: /posts/:slug/')
    .option('--output <folder>', 'the folder of the built site')
    .option('--build <command>', 'the command that builds the site')
    .option('--key <field=key...>', 'a front matter key: image=cover.image')
    .option('--front-matter <key=value...>', 'front matter of articles: layout=post')
    .addOption(new Option('--body <form>', 'the form of new articles').choices(['markdown', 'html']))
    .option('--yes', 'ask nothing')
    .option('--dry-run', 'show the changes, and write nothing')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', example('pressmark init --site-url https://example.com'))
    .action(init);
}

async function init(options: Options): Promise<void> {
  const { dir } = options;
  const stat = fs.statSync(dir, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isDirectory())
    throw new PressmarkError('USAGE', `--dir ${quote(dir, 200)} is not a folder`);
  const files = siteFiles(dir);
  const existing = await existingConfig(dir);
  const knownUrl = existing === undefined ? await urlOfEnvironment(dir) : undefined;
  const { inspection, answers, questions } = await interview(files, existing, knownUrl, options);
  const output = replacedOutput(inspection, answers);
  const planned = planInit(
    files,
    inspection,
    answers,
    isInWorkTree(resolve(dir)),
    output !== undefined &&
      (await hasTrackedOutput(resolve(dir), output, (await loadSettings(dir)).environment)),
    knownUrl,
  );
  const assumed = isAsking(options) || existing !== undefined ? [] : questions.flatMap(assumption);
  const plan: InitPlan = { ...planned, warnings: [...planned.warnings, ...assumed] };
  const readings = readingReport(inspection, plan.siteUrl, answers);

  if (!options.dryRun) {
    fs.mkdirSync(dir, { recursive: true });
    await applyChanges(dir, plan.changes);
  }
  if (plan.warnings.some(({ level }) => level === 'fail')) process.exitCode = 1;
  if (options.json) printPlanAsJson(plan, readings, inspection, options);
  else await printReport(plan, readings, inspection, options);
}

/** Inspects the site, and asks a person about missing facts until no question is open. @returns the last questions, too. */
async function interview(
  files: ReturnType<typeof siteFiles>,
  existing: Awaited<ReturnType<typeof existingConfig>>,
  knownUrl: string | undefined,
  options: Options,
) {
  let answers = answersOf(options);
  for (;;) {
    const recognition = recogniseSite(files, existing, answers);
    if (recognition.kind === 'question') {
      answers = await answered([recognition.question], answers, options);
      continue;
    }
    const inspection = await inspected(options.dir, recognition, answers, knownUrl);
    const questions = inspection.questions.filter(isOpen(inspection, options));
    // Ask for the folder first, as its posts show more.
    const folder = questions.filter(({ flag, fallback }) => flag === 'content' && fallback === undefined);
    const asked = folder.length > 0 && isAsking(options) ? folder : questions;
    answers = await answered(asked, answers, options);
    if (asked === questions) return { inspection: { ...inspection, questions: [] }, answers, questions };
  }
}

function isInWorkTree(folder: string): boolean {
  if (fs.existsSync(join(folder, '.git'))) return true;
  return folder !== dirname(folder) && isInWorkTree(dirname(folder));
}

/** Inspects the site with its generator, in a copy of the site that is removed afterwards. */
async function inspected(
  dir: string,
  recognition: Extract<Recognition, { kind: 'known' }>,
  answers: Answers,
  knownUrl: string | undefined,
): Promise<Inspection> {
  const { generator } = recognition;
  if (generator === undefined) return inspectSite(undefined, recognition, answers, knownUrl);
  const site = askSite(dir, (await loadSettings(dir)).environment, generator);
  try {
    return await inspectSite(site, recognition, answers, knownUrl);
  } finally {
    site.close();
  }
}

function answersOf({ service, body, key, frontMatter, ...options }: Options): Answers {
  const { generator, siteUrl, content, file, permalink, output, build } = options;
  const texts = { generator, 'site-url': siteUrl, content, file, permalink, output, build } as const;
  let answers: Answers = body === undefined ? {} : { body };
  for (const [flag, text] of Object.entries(texts))
    if (text !== undefined) answers = withAnswer(answers, { flag: flag as keyof typeof texts }, text);
  if (service !== undefined) answers = withService(answers, service);
  for (const text of key ?? []) answers = withAnswer(answers, { flag: 'key' }, text);
  for (const text of frontMatter ?? []) answers = withAnswer(answers, { flag: 'front-matter' }, text);
  return answers;
}

/** The address in `.env` or in the environment. */
async function urlOfEnvironment(dir: string): Promise<string | undefined> {
  if (!fs.existsSync(dir)) return undefined;
  const { siteUrl, siteUrlIsGuess } = await loadSettings(dir);
  return siteUrlIsGuess ? undefined : siteUrl;
}

/**
 * Whether a question must be answered. The address can be set later, before the first article: with `--yes`, and without a
 * terminal if Pressmark builds the site itself, the config is written without it.
 */
function isOpen({ generator }: Inspection, { yes }: Options): (question: InitQuestion) => boolean {
  const canWait = yes === true || (generator === undefined && !isInteractive());
  return ({ flag, fallback }) => !(flag === 'site-url' && fallback === undefined && canWait);
}

function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** Whether to ask a person. */
function isAsking({ yes, json }: Options): boolean {
  return isInteractive() && !yes && !json;
}

/** Completes the answers: on a terminal from a person, otherwise with the fallbacks. */
async function answered(
  questions: readonly InitQuestion[],
  answers: Answers,
  options: Options,
): Promise<Answers> {
  if (questions.length > 0 && isAsking(options)) return ask(questions, answers);
  const open = questions.filter(({ fallback }) => fallback === undefined);
  if (open.length > 0) throw noAnswer(open);
  return questions.reduce((all, question) => withAnswer(all, question, question.fallback ?? ''), answers);
}

function noAnswer(questions: readonly InitQuestion[]): PressmarkError {
  const lines = questions.map((question) => `${question.text} (${flagText(question)})`);
  const later = questions.some(({ flag }) => flag === 'site-url')
    ? ' With --yes the address can be set later.'
    : '';
  return new PressmarkError('USAGE', `nothing was written: ${lines.join(' ')}${later}`);
}

async function ask(questions: readonly InitQuestion[], before: Answers): Promise<Answers> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Ctrl+D and Ctrl+C end the command; nothing has been written yet.
  const ended = new AbortController();
  terminal.once('close', () => ended.abort());
  try {
    let answers = before;
    for (const question of questions) answers = await askOne(question, answers);
    return answers;
  } catch (error) {
    if (ended.signal.aborted) throw new PressmarkError('USAGE', 'stopped; nothing was written');
    throw error;
  } finally {
    terminal.close();
  }

  async function askOne(question: InitQuestion, answers: Answers): Promise<Answers> {
    const { flag, text, fallback } = question;
    const canWait = flag === 'site-url' && fallback === undefined;
    const hint = canWait ? ' [later]' : fallback === undefined ? '' : ` [${fallback}]`;
    for (;;) {
      const line = await terminal.question(`${printable(text)}${printable(hint)} `, { signal: ended.signal });
      const answer = line.trim() === '' ? fallback : line.trim();
      if (answer === undefined && canWait) return answers;
      if (answer === undefined) continue;
      try {
        return withAnswer(answers, question, answer);
      } catch (error) {
        if (!(error instanceof PressmarkError)) throw error;
        print(printable(error.message));
      }
    }
  }
}

function printPlanAsJson(
  { changes, left, warnings, siteUrl }: InitPlan,
  readings: readonly Reading[],
  { generator }: Inspection,
  { dryRun = false }: Options,
): void {
  const report = {
    generator: generator?.name ?? PLAIN,
    siteUrl: siteUrl ?? null,
    written: !dryRun,
    read: readings,
    changes: changes.map((change) => ({
      path: change.path,
      new: change.before === undefined,
      reason: change.reason,
      ...(dryRun && { diff: diffOf(change) }),
    })),
    left,
    warnings,
  };
  printJson(report, 2);
}

async function printReport(
  plan: InitPlan,
  readings: readonly Reading[],
  inspection: Inspection,
  { dir, dryRun }: Options,
): Promise<void> {
  const width = Math.max(...readings.map(({ what }) => what.length));
  for (const { what, value, from } of readings) {
    const source = from === undefined ? '' : paint('dim', ` (${printable(from)})`);
    print(`  ${what.padEnd(width)}  ${printable(value)}${source}`);
  }
  print('');
  if (dryRun) for (const change of plan.changes) print(printableFile(diffOf(change)).trimEnd());
  else {
    for (const { reason } of plan.changes) print(`+ ${printable(reason)}`);
    for (const line of plan.left) print(`= ${line}`);
  }
  if (plan.changes.length === 0) print(dryRun ? 'Nothing would change.' : 'Nothing was changed.');
  for (const { level, text, fix } of plan.warnings) {
    print(`${marked(level)} ${printableLines(text).replaceAll('\n', '\n    ')}`);
    print(`  → ${printable(fix)}`);
  }
  if (!dryRun) printNext(dir, plan, inspection, (await loadSettings(dir)).endpoint);
}

function printNext(
  dir: string,
  { siteUrl, toCommit }: InitPlan,
  { generator, existing }: Inspection,
  endpoint: string,
): void {
  const config = existing?.name ?? 'pressmark.config.mjs';
  const paths = toCommit.map((path) => relative('.', join(dir, path)));
  const commit = paths.length === 0 ? '' : `\n     Then commit what is new: git add ${paths.join(' ')}`;
  const build = generator === undefined ? '' : ', which receives articles and builds the site after each';
  print(`
Next:
  1. ${siteUrl === undefined ? `Set siteUrl in ${config}.` : `Check siteUrl in ${config}: ${siteUrl}. Each article keeps the URL that it gets.`}${commit}
  2. Give the service PRESSMARK_SECRET from .env, and the URL of this receiver: https://<your host>${endpoint}
  3. npx pressmark start${build}${siteUrl === undefined ? '\n     Before you have an address, try it on this machine: npx pressmark start --preview' : ''}`);
}

/** Escapes a text but keeps its line ends and tabs, so that the diff can be applied. */
function printableFile(text: string): string {
  return text
    .split(/([\t\r\n])/)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');
}
