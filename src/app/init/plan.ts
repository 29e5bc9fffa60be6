import { posix } from 'node:path';
import { mapOf } from '../../article/plain-data.js';
import { variablesIn } from '../../child-environment.js';
import { FOREIGN, unknownBuildScript } from '../../generators/foreign.js';
import type { FileEdit, Problem, SiteFacts, SiteFiles } from '../../generators/generator.js';
import { LOCK_FILES } from '../../generators/inspect/manifests.js';
import { GENERATORS, recogniseGenerators } from '../../generators/registry.js';
import { isOfPressmark } from '../../site/builder/ownership.js';
import { trackedOutput } from '../build/output-in-git.js';
import { isExampleUrl } from '../site-address.js';
import type { Answers } from './answers.js';
import type { Change } from './changes.js';
import { configText, literal } from './config-text.js';
import { newSecret, withVariables } from './env-file.js';
import { missingIgnoreLines, withLines } from './ignore-lines.js';
import { type ExistingConfig, flatSettings, type Inspection } from './inspect-site.js';
import { addPostbuild } from './npm-postbuild.js';

/** Everything that `init` will write, and what it leaves to the owner. */
export interface InitPlan {
  readonly changes: readonly Change[];
  /** What is fine already, or stays as it is. */
  readonly left: readonly string[];
  /** What the owner should know or do. */
  readonly warnings: readonly Problem[];
  /** Undefined if it is not known yet. */
  readonly siteUrl: string | undefined;
  /** The files for a commit; empty outside of a git repository. */
  readonly toCommit: readonly string[];
}

type Part = Partial<Pick<InitPlan, 'changes' | 'left' | 'warnings'>>;

const NO_WORK_TREE = warning(
  'the folder is not in a git repository, so articles are stored but not committed',
  'run git init, then git add and git commit',
);

const NO_SITE_URL = warning(
  'the site’s address is not known, and pressmark start refuses to run without it, as articles keep their URLs',
  'set siteUrl in pressmark.config.mjs; to try Pressmark on this machine, run pressmark start --preview',
);

function warning(text: string, fix: string): Problem {
  return { level: 'warn', text, fix };
}

/**
 * Plans everything that `init` writes. It writes nothing itself.
 *
 * @param isInWorkTree whether the site is in a git work tree.
 * @param hasTrackedOutput whether git tracks files in the output that builds would replace.
 * @param knownUrl the site's address from the environment.
 */
export function planInit(
  files: SiteFiles,
  inspection: Inspection,
  answers: Answers,
  isInWorkTree: boolean,
  hasTrackedOutput: boolean,
  knownUrl?: string,
): InitPlan {
  const { existing, facts } = inspection;
  const siteUrl = existing === undefined ? (answers.siteUrl ?? knownUrl ?? ownUrl(facts)) : urlIn(existing);
  // The generator's definition may have edited the same file.
  const edited = (path: string) => facts?.edits?.find((edit) => edit.path === path)?.text ?? files.read(path);
  const parts: Part[] = [
    existing === undefined
      ? newConfig(files, inspection, answers, siteUrl)
      : keptConfig(existing, inspection, answers),
    { warnings: otherUrl(facts, siteUrl) },
    secret(files.read('.env')),
    { changes: facts?.edits?.map((edit) => changeOf(files, edit)) ?? [] },
    ignored(files, edited('.gitignore') ?? '', inspection, answers),
    postbuild(files, edited('package.json'), inspection),
    { warnings: [...definitionProblems(files, inspection, answers), ...linkedPackage(files)] },
    { warnings: isInWorkTree ? [] : [NO_WORK_TREE] },
    {
      warnings: hasTrackedOutput
        ? [{ level: 'warn', ...trackedOutput(replacedOutput(inspection, answers) ?? '') }]
        : [],
    },
  ];
  const changes = merged(parts.flatMap((part) => part.changes ?? []));
  const written = changes.filter((change) => change.secret !== true).map(({ path }) => path);
  // The installation of Pressmark wrote these, perhaps in a repository without packages before.
  const ofNpm = ['package.json', ...LOCK_FILES.map(([, path]) => path)].filter(
    (path) => files.read(path) !== undefined,
  );
  const source = packageSource(files);
  if (source !== undefined && !isOutside(source)) ofNpm.push(source);
  return {
    changes,
    left: parts.flatMap(({ left }) => left ?? []),
    warnings: parts.flatMap(({ warnings }) => warnings ?? []),
    siteUrl,
    toCommit: isInWorkTree ? [...new Set([...written, ...ofNpm])] : [],
  };
}

/** The output of the site's own generator; undefined if Pressmark builds the site. */
function builtOutput({ facts, existing }: Inspection, answers: Answers): string | undefined {
  if (facts === undefined) return undefined;
  const { output } = { ...facts, ...answers, ...existing?.settings };
  return typeof output === 'string' ? output : facts.output;
}

/** The output folder that background builds replace; undefined if the site has no background builds. */
export function replacedOutput(inspection: Inspection, answers: Answers): string | undefined {
  const { build } = { ...inspection.facts, ...answers, ...inspection.existing?.settings };
  return !build || mapOf(build).background === false ? undefined : builtOutput(inspection, answers);
}

/** The address in the site's own configuration, unless it is a starter's example. */
function ownUrl(facts: SiteFacts | undefined): string | undefined {
  const url = facts?.siteUrl;
  return url === undefined || isExampleUrl(url) ? undefined : url;
}

function urlIn({ settings }: Pick<ExistingConfig, 'settings'>): string | undefined {
  return typeof settings.siteUrl === 'string' ? settings.siteUrl.replace(/\/+$/, '') : undefined;
}

/** A file with a new text. */
function changeOf(files: SiteFiles, { path, text, reason }: FileEdit): Change {
  return { path, before: files.read(path), after: text, reason };
}

/** Merges the changes to each file into one; a file whose text stays the same has none. */
function merged(changes: readonly Change[]): Change[] {
  const byPath = new Map<string, Change>();
  for (const change of changes.filter(({ before, after }) => (before ?? '') !== after)) {
    const earlier = byPath.get(change.path);
    const reason = earlier === undefined ? change.reason : `${earlier.reason}; ${change.reason}`;
    byPath.set(change.path, { ...change, reason });
  }
  return [...byPath.values()];
}

function newConfig(
  files: SiteFiles,
  { generator, facts }: Inspection,
  answers: Answers,
  siteUrl: string | undefined,
): Part {
  const { service } = answers;
  const built = generator && facts && { ...facts, body: 'markdown' as const, ...answers };
  const after =
    built === undefined
      ? configText({ siteUrl, service, ...plainFolders(files) })
      : configText({
          siteUrl,
          service,
          content: built.content,
          output: built.output,
          built: {
            ...built,
            generator: generator?.name ?? '',
            frontMatter: { ...facts?.frontMatter, ...answers.frontMatter },
            options:
              answers.keys === undefined
                ? built.options
                : { ...built.options, keys: { ...built.options.keys, ...answers.keys } },
          },
        });
  const reason = 'write pressmark.config.mjs';
  return {
    changes: [{ path: 'pressmark.config.mjs', before: undefined, after, reason }],
    warnings: siteUrl === undefined ? [NO_SITE_URL] : [],
  };
}

/** The problems that the definition finds in the site's configuration, and what could not be found out. */
function definitionProblems(
  files: SiteFiles,
  { generator, facts }: Inspection,
  answers: Answers,
): readonly Problem[] {
  if (generator === undefined || facts === undefined) return [];
  const content = answers.content ?? facts.content;
  return [...(generator.problems?.(files, content) ?? []), ...facts.warnings];
}

/** If the generator has another address, the pages' links carry it. */
function otherUrl(facts: SiteFacts | undefined, siteUrl: string | undefined): Problem[] {
  if (siteUrl === undefined) return [];
  const { siteUrl: said, siteUrlSource: source } = facts ?? {};
  if (said !== undefined && said !== siteUrl)
    return [
      warning(
        `the site’s own configuration has the address ${said}, not ${siteUrl}`,
        `set ${siteUrl} there too${source === undefined ? '' : ` (${source})`}`,
      ),
    ];
  if (!isExampleUrl(siteUrl)) return [];
  const there = facts === undefined ? '' : 'in the site’s configuration and ';
  return [
    warning(
      `the site’s address ${siteUrl} is an example`,
      `set the real one ${there}as siteUrl in pressmark.config.mjs before the first article`,
    ),
  ];
}

/** A package folder outside of the repository exists only on this machine: elsewhere, `npm ci` makes a dangling link. */
function linkedPackage(files: SiteFiles): Problem[] {
  const from = packageSource(files);
  if (from === undefined || !isOutside(from)) return [];
  return [
    warning(
      `package.json takes pressmark from ${from}, which is not there where the site is cloned`,
      'put the package into vendor/ and install it from there, as the README of Pressmark describes',
    ),
  ];
}

/** The path of Pressmark in package.json; undefined if it comes from a registry. */
function packageSource(files: SiteFiles): string | undefined {
  // npm and pnpm write a scheme, Yarn and Bun may write `./`.
  const from = /"pressmark"\s*:\s*"(?:(?:file|link):|(?=\.\/))(?:\.\/)?([^"]+)"/;
  return from.exec(files.read('package.json') ?? '')?.[1];
}

const isOutside = (path: string) => /^(?:\.\.)?\//.test(path);

/** Warnings for an existing config, which stays as it is: the owner has to set the answers and what the site needs. */
function keptConfig(config: ExistingConfig, { unused, facts }: Inspection, answers: Answers): Part {
  const { name } = config;
  const warnings = Object.entries(answers).map(([key, value]) =>
    warning(
      `${name} exists and was not changed; its ${key} may differ`,
      `set ${key} to ${literal(value)} in ${name}, if it is not set so`,
    ),
  );
  const missing = facts === undefined ? {} : missingSettings(config, facts, answers);
  if (Object.keys(missing).length > 0)
    warnings.push(
      warning(
        `${name} exists and was not changed; it lacks settings that pressmark init would write`,
        `add them to ${name}: ${literal(missing).slice(2, -2)}`,
      ),
    );
  if (unused !== undefined)
    warnings.push(
      warning(
        `this is a site of ${unused.name}, but ${name} does not name a generator`,
        `set generator: ${literal(unused.name)} in ${name} and run pressmark init again; or move ${name} away, and pressmark init writes a new one`,
      ),
    );
  return { left: [`${name} is there already`], warnings };
}

/** The settings that an existing config does not have, if their defaults differ from what the site needs. */
function missingSettings(config: ExistingConfig, facts: SiteFacts, answers: Answers): object {
  const { given, defaults } = flatSettings(config);
  const needed = <Key extends 'content' | 'output' | 'build' | 'file' | 'permalink'>(...keys: Key[]) =>
    Object.fromEntries(
      keys
        .filter(
          (key) =>
            !(key in given || key in answers) && facts[key] !== undefined && facts[key] !== defaults[key],
        )
        .map((key) => [key, facts[key]]),
    );
  const articles = needed('file', 'permalink');
  return {
    ...needed('content', 'output', 'build'),
    ...(Object.keys(articles).length > 0 && { articles }),
  };
}

function secret(before: string | undefined): Part {
  if (variablesIn(before ?? '').PRESSMARK_SECRET) return { left: ['.env has a PRESSMARK_SECRET already'] };
  const after = withVariables(before ?? '', { PRESSMARK_SECRET: newSecret() });
  const reason = 'put a random PRESSMARK_SECRET into .env (mode 0600)';
  return { changes: [{ path: '.env', before, after, reason, mode: 0o600, secret: true }] };
}

function ignored(
  files: SiteFiles,
  present: string,
  { generator, facts, existing }: Inspection,
  answers: Answers,
): Part {
  const output = plainOutput(files, existing);
  const isOurs = generator === undefined;
  const isEmpty = files.list(output).length === 0;
  const usesNpm = files.read('package.json') !== undefined || files.list('').includes('node_modules/');
  const wanted = [
    '.env',
    '.pressmark/',
    ...(usesNpm ? ['node_modules/'] : []),
    ...(facts?.ignore ?? []),
    ...(answers.output === undefined || facts?.build === undefined ? [] : [`${answers.output}/`]),
    ...(isOurs && isEmpty ? [`${output}/`] : []),
  ];
  const missing = missingIgnoreLines(wanted, present);
  const reason = `add ${missing.join(', ')} to .gitignore`;
  const kept = `${output}/ has files in it; Pressmark adds its own and deletes none of yours (set output in the config for another folder)`;
  return {
    left: [
      ...(missing.length === 0 ? ['.gitignore has the lines already'] : []),
      ...(isOurs && !isEmpty ? [kept] : []),
    ],
    changes:
      missing.length === 0
        ? []
        : [changeOf(files, { path: '.gitignore', text: withLines(present, missing), reason })],
  };
}

/** The folders of a site that Pressmark builds next to another program's site. */
const OWN_FOLDERS = { content: 'pressmark/content', output: 'pressmark/public' } as const;

/** The output folder of a site that Pressmark builds. */
function plainOutput(files: SiteFiles, existing: ExistingConfig | undefined): string {
  const { output } = existing?.settings ?? plainFolders(files);
  return typeof output === 'string' ? posix.normalize(`${output}/`).slice(0, -1) : 'public';
}

/** The folders of a site that Pressmark builds, if the default ones belong to another program. */
function plainFolders(files: SiteFiles): { readonly content?: string; readonly output?: string } {
  const isOthers =
    unknownBuildScript(files) !== undefined ||
    recogniseGenerators(files, [...GENERATORS, ...FOREIGN]).length > 0;
  if (isOthers) return OWN_FOLDERS;
  const pages = files.list('public').filter((name) => name.endsWith('.html'));
  const isOurs = pages.every((name) => isOfPressmark(files.read(`public/${name}`) ?? ''));
  return isOurs ? {} : { output: OWN_FOLDERS.output };
}

function postbuild(files: SiteFiles, manifest: string | undefined, inspection: Inspection): Part {
  const { generator, facts } = inspection;
  if (generator === undefined || facts?.build === undefined) return {};
  const step = addPostbuild(files, builtOutput(inspection, {}) ?? facts.output, manifest);
  if (step.kind === 'advise')
    return { warnings: [warning('the step after the build is not in package.json', step.advice)] };
  const reason = 'add the script "postbuild" to package.json, which npm runs after "build"';
  return {
    changes:
      step.kind === 'nothing' ? [] : [changeOf(files, { path: 'package.json', text: step.text, reason })],
  };
}
