import type { KeyNames } from '../../article/mapping.js';
import { recogniseForeign, unknownBuildScript } from '../../generators/foreign.js';
import type {
  Generator,
  GeneratorOptions,
  Problem,
  SiteFacts,
  SiteFiles,
} from '../../generators/generator.js';
import { recogniseGenerators } from '../../generators/registry.js';
import { isMarked } from '../../site/builder/ownership.js';
import { isExampleUrl } from '../site-address.js';
import type { Answers } from './answers.js';
import { type Change, withLines } from './change.js';
import {
  type GeneratorConfig,
  generatorConfigText,
  literal,
  type PlainFolders,
  plainConfigText,
} from './config-text.js';
import { missingIgnoreLines } from './ignore-lines.js';
import type { ExistingConfig, Inspection } from './inspect-site.js';
import { addPostbuild, runsPostScripts } from './npm-postbuild.js';
import { secretLine } from './secret.js';

/** All that `init` is going to write, and what it leaves to the owner. */
export interface InitPlan {
  readonly changes: readonly Change[];
  /** What is as it should be, or is left alone. */
  readonly left: readonly string[];
  /** What the owner should know or do. */
  readonly warnings: readonly Problem[];
  /** Undefined where nobody has said it yet. */
  readonly siteUrl: string | undefined;
  /** The files that belong into a commit; none outside of a git repository. */
  readonly toCommit: readonly string[];
}

/** What surrounds the site's folder. */
export interface Surroundings {
  /** The texts of `.gitignore` in the folders above, up to the root of the work tree. */
  readonly ignoredAbove: readonly string[];
  readonly isInWorkTree: boolean;
  /** The site's address as the environment says it. */
  readonly siteUrl: string | undefined;
}

type Part = Partial<Pick<InitPlan, 'changes' | 'left' | 'warnings'>>;

const NO_WORK_TREE: Problem = {
  level: 'warn',
  text: 'the folder is not in a git repository, so articles are stored but not committed',
  fix: 'run git init, then git add and git commit',
};

/** Computes everything that `init` writes; writes nothing. */
export function planInit(
  files: SiteFiles,
  inspection: Inspection,
  answers: Answers,
  surroundings: Surroundings,
): InitPlan {
  const siteUrl =
    inspection.existing === undefined
      ? (answers.siteUrl ?? surroundings.siteUrl ?? ownUrl(inspection.facts))
      : configuredUrl(inspection.existing);
  const edits = siteEdits(files, inspection);
  // A definition may have edited the same files.
  const edited = (path: string) => edits.find((edit) => edit.path === path)?.after ?? files.read(path);
  const parts: Part[] = [
    inspection.existing === undefined
      ? newConfig(files, inspection, answers, siteUrl)
      : keptConfig(inspection, answers, siteUrl),
    env(files),
    { changes: edits },
    ignored(files, edited('.gitignore'), inspection, surroundings),
    npmScript(edited('package.json'), files, inspection),
    {
      warnings: [
        ...problemsOf(files, inspection, answers, siteUrl),
        ...(inspection.facts?.warnings ?? []),
        ...linkedPackage(files),
      ],
    },
    surroundings.isInWorkTree ? {} : { warnings: [NO_WORK_TREE] },
  ];
  const changes = merged(parts.flatMap((part) => part.changes ?? []));
  return {
    changes,
    left: parts.flatMap(({ left }) => left ?? []),
    warnings: parts.flatMap(({ warnings }) => warnings ?? []),
    siteUrl,
    toCommit: surroundings.isInWorkTree ? toCommit(files, changes) : [],
  };
}

/** What `npm install` has written before, in a repository that had no packages, and what `init` writes. */
function toCommit(files: SiteFiles, changes: readonly Change[]): string[] {
  const ofNpm = ['package.json', 'package-lock.json'].filter((path) => files.read(path) !== undefined);
  const written = changes.filter(({ secret }) => secret !== true).map(({ path }) => path);
  return [...new Set([...written, ...ofNpm])];
}

/** The address that the site's own configuration says, unless a starter came with it. */
function ownUrl(facts: SiteFacts | undefined): string | undefined {
  const url = facts?.siteUrl;
  return url === undefined || isExampleUrl(url) ? undefined : url;
}

/** One change for each file, made of all that are made to it one after the other. */
function merged(changes: readonly Change[]): Change[] {
  const byPath = new Map<string, Change>();
  for (const change of changes) {
    const earlier = byPath.get(change.path);
    byPath.set(
      change.path,
      earlier === undefined
        ? change
        : { ...change, before: earlier.before, reason: `${earlier.reason}; ${change.reason}` },
    );
  }
  return [...byPath.values()];
}

function newConfig(
  files: SiteFiles,
  { generator, facts }: Inspection,
  answers: Answers,
  siteUrl: string | undefined,
): Part {
  const config = generator && facts && configOf(generator, facts, answers, siteUrl);
  const change: Change = {
    path: 'pressmark.config.mjs',
    before: undefined,
    after:
      config === undefined
        ? plainConfigText({ siteUrl, service: answers.service }, plainFolders(files))
        : generatorConfigText(config),
    reason: 'write pressmark.config.mjs',
  };
  return {
    changes: [change],
    warnings: [
      ...(siteUrl === undefined ? [NO_SITE_URL] : []),
      ...otherUrl(facts, siteUrl),
      ...(config === undefined ? [] : callsItself(files, config.build)),
    ],
  };
}

function configOf(
  generator: Generator,
  facts: SiteFacts,
  answers: Answers,
  siteUrl: string | undefined,
): GeneratorConfig {
  return {
    generator: generator.name,
    options: optionsOf(facts.options, answers.keys),
    siteUrl,
    service: answers.service,
    content: answers.content ?? facts.content,
    output: answers.output ?? facts.output,
    build: answers.build ?? facts.build,
    file: answers.file ?? facts.file,
    permalink: answers.permalink ?? facts.permalink,
    body: answers.body ?? 'markdown',
    frontMatter: { ...facts.frontMatter, ...answers.frontMatter },
  };
}

/** What was found out about article files, and answered. */
function optionsOf(found: GeneratorOptions, answered: Partial<KeyNames> | undefined): GeneratorOptions {
  return answered === undefined ? found : { ...found, keys: { ...found.keys, ...answered } };
}

const NO_SITE_URL: Problem = {
  level: 'warn',
  text: 'the site’s address is not known, and pressmark start refuses to run without it, as articles keep their URLs',
  fix: 'set siteUrl in pressmark.config.mjs; to try Pressmark on this machine, run pressmark start --preview',
};

/** What the definition finds in the site's configuration. */
function problemsOf(
  files: SiteFiles,
  { generator, facts }: Inspection,
  answers: Answers,
  siteUrl: string | undefined,
): readonly Problem[] {
  if (generator === undefined || facts === undefined) return [];
  const { content, output, options } = { ...facts, ...answers };
  return generator.problems(files, { siteUrl, content, output, options });
}

/** Pages whose generator believes in another address carry it in their links. */
function otherUrl(facts: SiteFacts | undefined, siteUrl: string | undefined): Problem[] {
  const said = facts?.siteUrl;
  if (siteUrl === undefined) return [];
  if (said !== undefined && said !== siteUrl)
    return [
      {
        level: 'warn',
        text: `the site’s own configuration says that its address is ${said}, not ${siteUrl}`,
        fix: `set ${siteUrl} there too${facts?.siteUrlSource === undefined ? '' : ` (${facts.siteUrlSource})`}`,
      },
    ];
  if (!isExampleUrl(siteUrl)) return [];
  return [
    {
      level: 'warn',
      text: `the site’s address ${siteUrl} is an example`,
      fix: `set the real one ${facts === undefined ? '' : 'in the site’s configuration and '}as siteUrl in pressmark.config.mjs before the first article`,
    },
  ];
}

/** `pressmark build` runs the setting `build`, which must not run `pressmark build`. */
function callsItself(files: SiteFiles, build: string): Problem[] {
  if (!/^(?:npm|pnpm|yarn|bun) run build\b/.test(build)) return [];
  if (!/"build"\s*:\s*"[^"]*\bpressmark build\b/.test(files.read('package.json') ?? '')) return [];
  return [
    {
      level: 'fail',
      text: 'the script "build" in package.json runs pressmark build, which would run it again without end',
      fix: 'set build in pressmark.config.mjs to the generator’s own command',
    },
  ];
}

/** A folder outside of the repository is on this machine alone: elsewhere `npm ci` makes a link that leads nowhere. */
function linkedPackage(files: SiteFiles): Problem[] {
  const [, from] =
    /"pressmark"\s*:\s*"(?:file|link):((?:\.\.\/|\/)[^"]*)"/.exec(files.read('package.json') ?? '') ?? [];
  if (from === undefined) return [];
  return [
    {
      level: 'warn',
      text: `package.json takes pressmark from ${from}, which is not there where the site is cloned`,
      fix: 'put the package into vendor/ and install it from there, as the README of Pressmark describes',
    },
  ];
}

function configuredUrl({ settings }: ExistingConfig): string | undefined {
  return typeof settings.siteUrl === 'string' ? settings.siteUrl.replace(/\/+$/, '') : undefined;
}

function keptConfig(
  { existing, facts, unused }: Inspection,
  answers: Answers,
  siteUrl: string | undefined,
): Part {
  if (existing === undefined) return {};
  const { name, settings } = existing;
  const ineffective = Object.entries(answers).filter(([key, value]) => !isSet(settings, key, value));
  const warnings = ineffective.map(
    ([key, value]): Problem => ({
      level: 'warn',
      text: `${name} is there already and was not changed, so ${key} is not set to ${literal(value)}`,
      fix: `set it in ${name}`,
    }),
  );
  if (unused !== undefined)
    warnings.push({
      level: 'warn',
      text: `this is a site of ${unused.name}, which ${name} does not say`,
      fix: `set generator: ${literal(unused.name)} in ${name} and run pressmark init again; or move ${name} away, and pressmark init writes a new one`,
    });
  return { left: [`${name} is there already`], warnings: [...warnings, ...otherUrl(facts, siteUrl)] };
}

/** Whether an existing config has the value of an answer. */
function isSet(settings: Readonly<Record<string, unknown>>, key: string, value: unknown): boolean {
  const { articles } = settings;
  const own: Readonly<Record<string, unknown>> =
    typeof articles === 'object' && articles !== null ? { ...articles } : {};
  const is = settings[key] ?? own[key];
  return JSON.stringify(is) === JSON.stringify(value);
}

function env(files: SiteFiles): Part {
  const before = files.read('.env');
  if (before !== undefined && /^\s*(?:export\s+)?PRESSMARK_SECRET\s*=/m.test(before))
    return { left: ['.env has a PRESSMARK_SECRET already'] };
  return {
    changes: [
      {
        path: '.env',
        before,
        after: withLines(before ?? '', [secretLine()]),
        reason: 'put a random PRESSMARK_SECRET into .env (mode 0600)',
        mode: 0o600,
        secret: true,
      },
    ],
  };
}

function ignored(
  files: SiteFiles,
  before: string | undefined,
  { generator, facts, existing }: Inspection,
  { ignoredAbove }: Surroundings,
): Part {
  const isPlain = generator === undefined && existing === undefined;
  const { output: folder = 'public' } = isPlain ? plainFolders(files) : {};
  const isEmpty = files.list(folder).length === 0;
  const output = generator === undefined && isEmpty ? [`${folder}/`] : [];
  const usesNpm = files.read('package.json') !== undefined || files.list('').includes('node_modules/');
  const wanted = [
    '.env',
    '.pressmark/',
    ...(usesNpm ? ['node_modules/'] : []),
    ...(facts?.ignore ?? []),
    ...output,
  ];
  const missing = missingIgnoreLines(wanted, before ?? '', ignoredAbove);
  const left =
    generator === undefined && !isEmpty
      ? [
          `${folder}/ has files in it; Pressmark adds its own and deletes none of yours (set output in the config for another folder)`,
        ]
      : [];
  if (missing.length === 0) return { left: ['.gitignore has the lines already', ...left] };
  return {
    left,
    changes: [
      {
        path: '.gitignore',
        before,
        after: withLines(before ?? '', missing),
        reason: `add ${missing.join(', ')} to .gitignore`,
      },
    ],
  };
}

/** The folders of a site that Pressmark builds beside another program's, which has the usual ones. */
const OWN_FOLDERS = { content: 'pressmark/content', output: 'pressmark/public' } as const;

/** The folders of a site that Pressmark builds, where they are not the usual ones: another program's are left alone. */
function plainFolders(files: SiteFiles): PlainFolders {
  const isOthers =
    recogniseForeign(files) !== undefined ||
    unknownBuildScript(files) !== undefined ||
    recogniseGenerators(files).length > 0;
  if (isOthers) return OWN_FOLDERS;
  const pages = files.list('public').filter((name) => name.endsWith('.html'));
  const isOurs = (name: string) => isMarked(files.read(`public/${name}`) ?? '');
  return pages.every(isOurs) ? {} : { output: OWN_FOLDERS.output };
}

function siteEdits(files: SiteFiles, { facts }: Inspection): Change[] {
  return (facts?.edits ?? []).flatMap(({ path, text, reason }) => {
    const before = files.read(path);
    return before === text ? [] : [{ path, before, after: text, reason }];
  });
}

function npmScript(
  text: string | undefined,
  files: SiteFiles,
  { generator, facts, existing }: Inspection,
): Part {
  if (generator === undefined || facts === undefined || text === undefined) return {};
  const output = typeof existing?.settings.output === 'string' ? existing.settings.output : facts.output;
  const postbuild = addPostbuild(
    text,
    output,
    runsPostScripts(text, files.read('.yarnrc.yml') !== undefined),
  );
  if (postbuild.kind === 'nothing') return {};
  if (postbuild.kind === 'advise')
    return {
      warnings: [
        {
          level: 'warn',
          text: 'the step after the build is not in package.json',
          fix: postbuild.advice,
        },
      ],
    };
  return {
    changes: [
      {
        path: 'package.json',
        before: text,
        after: postbuild.text,
        reason: 'add the script "postbuild" to package.json, which npm runs after "build"',
      },
    ],
  };
}
