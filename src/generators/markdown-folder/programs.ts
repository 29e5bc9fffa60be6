import { textAt, type ValueMap } from '../../article/plain-data.js';
import type { AskedSite, Problem, Question, SiteFiles } from '../generator.js';
import { answerTo, nodeCommand } from '../inspect/ask.js';
import {
  firstFile,
  installedVersion,
  npmDependencies,
  npmScripts,
  readPackageJson,
  untestedVersion,
} from '../inspect/manifests.js';
import { buildCommand, withArgument } from '../inspect/site-build.js';
import { publicAddress } from '../inspect/site-files.js';

/** A program that makes pages with the site's own code, and the way to read its configuration. */
interface Program {
  readonly dependency: string;
  /** The configuration file, without the extension. */
  readonly config: string;
  /** The command that builds the site. */
  readonly build: string;
  /** JavaScript that returns the configuration. */
  readonly ask: string;
  /** Reads the answer. */
  read(answer: ValueMap, files: SiteFiles): ProgramAnswer;
}

interface ProgramAnswer {
  /** Whether the build creates a folder of pages that any host can serve. */
  readonly isStatic: boolean;
  readonly output: string;
  readonly siteUrl?: string | undefined;
  readonly siteUrlSource?: string;
  /** The path of the site below its host, such as `/notes`. */
  readonly base: unknown;
  readonly endsWithSlash: boolean;
  /** Whether this is a Next.js that builds with Turbopack by default. */
  readonly usesTurbopack?: boolean;
  readonly caches: readonly string[];
  readonly warnings?: readonly Problem[];
}

const IMPORTED = `(await import(
  'file://' + process.cwd() + '/' + ['mjs', 'js', 'cjs', 'ts', 'mts'].map((end) => CONFIG + '.' + end).find((name) => fs.existsSync(name))
)).default`;

/** The known programs, which were tested. */
export const PROGRAMS: readonly Program[] = [
  {
    dependency: 'next',
    config: 'next.config',
    build: 'next build',
    ask: `
import { createRequire } from 'node:module';
const require = createRequire(process.cwd() + '/package.json');
const { PHASE_PRODUCTION_BUILD } = require('next/constants');
const { output, distDir, basePath, trailingSlash } = await require('next/dist/server/config').default(PHASE_PRODUCTION_BUILD, process.cwd());
answer({ output, distDir, basePath, trailingSlash, version: require('next/package.json').version });`,
    read: ({ output, distDir, basePath, trailingSlash, ...answer }) => ({
      usesTurbopack: Number.parseInt(textAt(answer, 'version') ?? '', 10) >= 16,
      isStatic: output === 'export',
      output: typeof distDir === 'string' && distDir !== '.next' ? distDir : 'out',
      base: basePath,
      endsWithSlash: trailingSlash === true,
      caches: ['.next'],
      warnings: untestedVersion(textAt(answer, 'version'), 'Next.js 15 and 16', [15, 16]),
    }),
  },
  {
    dependency: '@sveltejs/kit',
    config: 'svelte.config',
    build: 'vite build',
    ask: `
const CONFIG = 'svelte.config';
const { kit = {} } = ${IMPORTED};
const isStatic = kit.adapter?.name === '@sveltejs/adapter-static';
// The adapter does not show its options, but it tells its builder where pages are written.
let output;
const none = () => undefined;
const builder = {
  routes: [],
  config: { kit },
  log: new Proxy(none, { get: () => none }),
  writePrerendered: (folder) => { output = folder; },
};
if (isStatic) await kit.adapter.adapt(new Proxy(builder, { get: (own, name) => own[name] ?? none }));
// Only Vite can resolve the imports of a layout, such as $app.
const layouts = ['.js', '.ts', '.server.js', '.server.ts']
  .map((end) => (kit.files?.routes ?? 'src/routes') + '/+layout' + end)
  .filter((path) => fs.existsSync(path));
const modulesOf = async () => {
  const { createServer } = await import('vite');
  const vite = await createServer({ logLevel: 'silent', server: { middlewareMode: true, watch: null, hmr: false, ws: false } });
  return Promise.all(layouts.map((path) => vite.ssrLoadModule('/' + path)));
};
const modules = layouts.length === 0 ? [] : await modulesOf().catch(() => []);
answer({
  isStatic,
  output,
  base: kit.paths?.base,
  origin: kit.prerender?.origin,
  isLenient: Boolean(kit.prerender?.handleHttpError),
  trailingSlash: modules.map(({ trailingSlash }) => trailingSlash).find(Boolean),
});`,
    read: ({ isStatic, output, base, isLenient, trailingSlash, ...answer }, files) => ({
      isStatic: isStatic === true,
      output: typeof output === 'string' ? output : 'build',
      siteUrl: textAt(answer, 'origin'),
      siteUrlSource: 'kit.prerender.origin and kit.paths.base',
      base,
      endsWithSlash: trailingSlash === 'always',
      caches: ['.svelte-kit'],
      warnings: [
        ...(isLenient === true ? [] : [BROKEN_LINKS]),
        ...untestedVersion(installedVersion(files, '@sveltejs/kit'), 'SvelteKit 2', [2]),
      ],
    }),
  },
  {
    dependency: 'gatsby',
    config: 'gatsby-config',
    build: 'gatsby build',
    ask: `
const CONFIG = './gatsby-config';
const { siteMetadata, pathPrefix, trailingSlash } = ${IMPORTED};
answer({ siteUrl: siteMetadata?.siteUrl, pathPrefix, trailingSlash });`,
    read: ({ pathPrefix, trailingSlash, ...answer }, files) => ({
      isStatic: true,
      output: 'public',
      siteUrl: textAt(answer, 'siteUrl'),
      siteUrlSource: 'siteMetadata.siteUrl and pathPrefix',
      base: /--prefix-paths/.test(npmScripts(files).build ?? '') ? pathPrefix : '',
      endsWithSlash: trailingSlash !== 'never',
      caches: ['.cache', 'public'],
      warnings: untestedVersion(installedVersion(files, 'gatsby'), 'Gatsby 5', [5]),
    }),
  },
];

const BROKEN_LINKS: Problem = {
  level: 'warn',
  text: 'SvelteKit stops the build if an article links to a page or heading that the site does not have.',
  fix: "Set kit.prerender.handleHttpError and handleMissingId to 'warn' in svelte.config.js; otherwise such an article is left out of the site.",
};

/** The configuration file of a program; undefined if there is none. */
export function configOf(files: SiteFiles, { config }: Pick<Program, 'config'>): string | undefined {
  return firstFile(
    files,
    ['js', 'mjs', 'cjs', 'ts', 'mts'].map((end) => `${config}.${end}`),
  );
}

/** The facts about the program that builds a site. */
export interface BuiltBy extends Omit<ProgramAnswer, 'base' | 'caches' | 'isStatic'> {
  readonly language?: string | undefined;
  /** Lines for `.gitignore`. */
  readonly ignore: readonly string[];
  readonly build: string | undefined;
  readonly questions: readonly Question[];
}

/** Reads the configuration of the program that builds a site; for an unknown program, the owner is asked. */
export async function programOf(site: AskedSite): Promise<BuiltBy> {
  const { files } = site;
  const dependencies = npmDependencies(files);
  const program = PROGRAMS.find(({ dependency }) => dependencies.has(dependency));
  const { build: script = '' } = npmScripts(files);
  if (program === undefined) return unknownProgram(site, script);
  const said = await answerTo(site, nodeCommand(program.ask), `node -e "import('${program.config}')"`);
  const { base, caches, isStatic, ...answer } = program.read(said, files);
  const siteUrl = answer.siteUrl ?? readPackageJson(files).homepage;
  const calls = new RegExp(`\\b${program.build.replace(' ', '\\s+')}\\b`);
  const command = await buildCommand(site, calls, `npx ${program.build}`);
  return {
    ...answer,
    siteUrl: publicAddress(siteUrl, base === '' ? undefined : base),
    siteUrlSource: answer.siteUrl === undefined ? 'homepage in package.json' : (answer.siteUrlSource ?? ''),
    build: !isStatic ? undefined : answer.usesTurbopack === true ? withWebpack(command, script) : command,
    ignore: [...new Set([...(isStatic ? [answer.output] : []), ...caches])].map((folder) => `${folder}/`),
    questions: [],
    warnings: [...(answer.warnings ?? []), ...(isStatic ? [] : [noFolder(program)])],
  };
}

/**
 * Adds the option that replaces Turbopack, with which Next.js builds from version 16 on: Turbopack does not follow the links to
 * packages in the copy of the site that is built in the background.
 */
function withWebpack(command: string, script: string): string {
  if (script.includes('--webpack')) return command;
  return /^(?:npm|pnpm|yarn|bun) run /.test(command) && /\bnext\s+build(?:\s+--?[\w-]+)*\s*$/.test(script)
    ? withArgument(command, '--webpack')
    : 'npx next build --webpack';
}

function noFolder({ dependency, config }: Program): Problem {
  const name = { next: 'Next.js', '@sveltejs/kit': 'SvelteKit' }[dependency] ?? dependency;
  const how = dependency === 'next' ? `output: 'export' in ${config}` : `adapter-static in ${config}`;
  return {
    level: 'warn',
    text: `This site has no ${how}, so a server renders its pages: Pressmark does not run ${name}, and neither checks nor completes pages before they are live.`,
    fix: 'Follow “A site that a server renders” in docs/markdown-folder.md, or make the site static.',
  };
}

function unknownProgram({ files }: AskedSite, script: string): BuiltBy {
  const build = script === '' ? undefined : 'npm run build';
  const question = { flag: 'build', text: 'Which command builds the site?' } as const;
  const output = ['dist', 'out', 'build', '_site', 'public'].find((folder) => files.list(folder).length > 0);
  return {
    output: output ?? 'dist',
    build: build ?? '',
    endsWithSlash: true,
    ignore: [],
    questions: [
      ...(build === undefined ? [question] : []),
      { flag: 'output', text: 'Which folder is the site built into?', fallback: output ?? 'dist' },
    ],
  };
}
