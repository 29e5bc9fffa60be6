import { relative } from 'node:path';
import { mapOf } from '../../article/plain-data.js';
import { readConfigFile } from '../../config/config-file.js';
import { configFileOf } from '../../config/load.js';
import { schema } from '../../config/schema.js';
import { askGenerator } from '../../deploy/ask.js';
import { copyWithHistory, type SiteCopy } from '../../deploy/copy/site-copy.js';
import { didYouMean, PressmarkError, quote } from '../../errors.js';
import { FOREIGN, unknownBuildScript } from '../../generators/foreign.js';
import type { AskedSite, Generator, Problem, SiteFacts, SiteFiles } from '../../generators/generator.js';
import { GENERATORS, recogniseGenerators } from '../../generators/registry.js';
import { siteFiles } from '../content/site-files.js';
import { isExampleUrl } from '../site-address.js';
import { type Answers, type InitQuestion, isAnswered } from './answers.js';

/** The name of the generator of a site that Pressmark builds itself. */
export const PLAIN = 'plain';

/** A config that exists already. */
export interface ExistingConfig {
  /** The file's name. */
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The generator of a site, and the evidence. */
interface KnownSite {
  readonly existing: ExistingConfig | undefined;
  /** Undefined if Pressmark builds the site itself. */
  readonly generator: Generator | undefined;
  /** The reason for this generator. */
  readonly evidence: string;
  /** A generator whose files exist, but which the existing config does not name. */
  readonly unused?: Generator | undefined;
}

/** The generator, or a question about it. */
export type Recognition =
  | ({ readonly kind: 'known' } & KnownSite)
  | { readonly kind: 'question'; readonly question: InitQuestion };

/** What `init` knows about a site before it writes anything. */
export interface Inspection extends KnownSite {
  /** What the site's files and generator say. */
  readonly facts: SiteFacts | undefined;
  /** The commands that were run to ask the generator. */
  readonly asked: readonly string[];
  /** The open questions. */
  readonly questions: readonly InitQuestion[];
}

/** Returns a config's settings and the defaults of all settings, with the keys of `articles` at the top level. */
export function flatSettings(config: ExistingConfig | undefined) {
  const settings: Readonly<Record<string, unknown>> = config?.settings ?? {};
  const defaults = schema.parse({});
  return {
    given: { ...settings, ...mapOf(settings.articles) },
    defaults: { ...defaults, ...defaults.articles },
  };
}

/** Reads the existing config of a site, as it was written. */
export async function existingConfig(dir: string): Promise<ExistingConfig | undefined> {
  const path = configFileOf(dir);
  if (path === undefined) return undefined;
  return { name: relative(dir, path), settings: { ...(await readConfigFile(path)) } };
}

/**
 * Finds the generator of a site: by the existing config, then by the answer, then by the site's files.
 *
 * @throws PressmarkError USAGE if the answer names an unknown one.
 */
export function recogniseSite(
  files: SiteFiles,
  existing: ExistingConfig | undefined,
  answers: Answers,
  generators: readonly Generator[] = GENERATORS,
): Recognition {
  const found = recogniseGenerators(files, generators);
  const named = (name: unknown) => generators.find((generator) => generator.name === name);
  const known = (site: Omit<KnownSite, 'existing'>): Recognition => ({ kind: 'known', existing, ...site });
  const question = (text: string): Recognition => ({
    kind: 'question',
    question: { flag: 'generator', text },
  });
  const names = [...generators.map(({ name }) => name), PLAIN];
  const { generator: answer } = answers;
  if (answer !== undefined && !names.includes(answer))
    throw new PressmarkError(
      'USAGE',
      `--generator ${quote(answer)} is not known; use ${listed(names)}${didYouMean(answer, names)}`,
    );
  if (existing !== undefined) {
    const { generator: setting } = existing.settings;
    const generator = isDefinition(setting) ? setting : named(mapOf(setting).name ?? setting);
    const unused = setting === undefined ? found[0]?.generator : undefined;
    return known({ generator, evidence: existing.name, unused });
  }
  if (answer !== undefined) return known({ generator: named(answer), evidence: '--generator' });
  const [first, second] = found;
  const [foreign] = recogniseGenerators(files, FOREIGN);
  if (foreign !== undefined && foreign.strength > (first?.strength ?? 0))
    return question(notKnown(foreign.generator.name, foreign.evidence));
  if (first === undefined) {
    const script = unknownBuildScript(files);
    return script
      ? question(
          notKnown(
            'A program that Pressmark does not know',
            `"build": ${quote(script, 100)} in package.json`,
          ),
        )
      : known({ generator: undefined, evidence: 'no configuration file of another generator is there' });
  }
  if (first.strength !== second?.strength) return known(first);
  const seen = found
    .filter(({ strength }) => strength === first.strength)
    .map(({ generator, evidence }) => `${generator.name} (${evidence})`);
  return question(`Which generator builds the site: ${listed([...seen, `${PLAIN} (Pressmark itself)`])}?`);
}

/** What to do with a site of an unknown generator. */
function notKnown(name: string, evidence: string): string {
  return `${name} builds this site (${evidence}), and Pressmark has no definition for it, so that articles would not become its posts. Write a definition, as docs/generators.md describes, and run pressmark init again; or answer markdown-folder, if its posts are a folder of Markdown files (docs/markdown-folder.md); or answer ${PLAIN}, and Pressmark builds a second site in the folder pressmark/. Generator:`;
}

/** Whether a setting is the owner's own definition, by `defineGenerator`. */
function isDefinition(value: unknown): value is Generator {
  return typeof mapOf(value).inspect === 'function';
}

/** A site that `init` asks about, with a record of the questions. */
export interface SiteQuestions extends AskedSite {
  /** The commands that were run, in order. */
  readonly asked: readonly string[];
  /** The first command that failed, with the fix. */
  readonly failures: readonly Problem[];
  /** Removes the copy. */
  close(): void;
}

/** How long a generator may take to answer, in milliseconds. */
const ANSWER_MS = 300_000;

/** Runs a generator in a copy of the site, which is made for the first question. */
export function askSite(
  dir: string,
  env: NodeJS.Dict<string>,
  { name, caches }: Pick<Generator, 'name' | 'caches'>,
): SiteQuestions {
  const asked: string[] = [];
  const failures: Problem[] = [];
  let copy: SiteCopy | undefined;

  async function ask(command: string, shown = command): Promise<string | undefined> {
    copy ??= await copyWithHistory(dir, caches, env);
    if (!asked.includes(shown)) asked.push(shown);
    const question = { dir: copy.dir, env, name: shown, timeoutMs: ANSWER_MS };
    const answer = await askGenerator(command, question);
    if (answer.kind === 'printed') return answer.text;
    // The others mostly have the same cause, such as a missing program.
    failures[0] ??= {
      level: 'warn',
      text: `${name} could not be asked about the site: ${answer.reason}`,
      fix: `install ${name} and the site’s other packages on this machine, build the site once, and run pressmark init again; or check the values above and give others by options (pressmark init --help)`,
    };
    return undefined;
  }

  return { files: siteFiles(dir), ask, asked, failures, close: () => copy?.remove() };
}

/**
 * Asks the generator about the site, and lists the open questions.
 *
 * @param site undefined if no other generator builds the site.
 * @param knownUrl the address from the environment.
 */
export async function inspectSite(
  site: SiteQuestions | undefined,
  recognition: Extract<Recognition, { kind: 'known' }>,
  answers: Answers,
  knownUrl: string | undefined,
): Promise<Inspection> {
  const { generator, existing } = recognition;
  const found = site && (await generator?.inspect({ ...site, content: answers.content }));
  const facts = site && found && { ...found, warnings: [...site.failures, ...found.warnings] };
  const questions = existing === undefined ? questionsOf(facts, knownUrl) : [];
  return {
    ...recognition,
    facts,
    asked: site?.asked ?? [],
    questions: questions.filter((one) => !isAnswered(one, answers)),
  };
}

function questionsOf(facts: SiteFacts | undefined, knownUrl: string | undefined): readonly InitQuestion[] {
  const { siteUrl, questions = [] } = facts ?? {};
  if (knownUrl !== undefined || (siteUrl !== undefined && !isExampleUrl(siteUrl))) return questions;
  const example =
    siteUrl === undefined ? '' : `The site’s own configuration says ${siteUrl}, which is an example. `;
  const text = `${example}What is the site’s public address, such as https://example.org?`;
  return [{ flag: 'site-url', text }, ...questions];
}

/** Joins words: `a, b or c`. */
function listed(words: readonly string[]): string {
  return words.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}
