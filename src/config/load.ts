import fs from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { z } from 'zod';
import { didYouMean, messageOf, quote } from '../errors.js';
import { CONFIG_NAMES, invalid, readConfigFile } from './config-file.js';
import { type Config, type DeploySetting, schema } from './schema.js';
import { siteSchema } from './site-schema.js';

/** What the command line says; over the environment and the file. */
export interface Flags {
  readonly port?: number;
  readonly host?: string;
}

/** Everything that is set for one site. */
export interface Settings extends Omit<Config, 'siteUrl' | 'build' | 'deploy'> {
  /** The build command; undefined where there is none. */
  readonly build: string | undefined;
  /** Whether the receiver builds the site in the background. */
  readonly buildsInBackground: boolean;
  /** How long one build may take, in milliseconds. */
  readonly buildTimeoutMs: number;
  readonly deploy: readonly DeploySetting[];
  /** The URL of the host's build hook, a secret, and a token for it. */
  readonly deployHook: { readonly url?: string; readonly token?: string };
  /** A secret, with which other machines are answered by /healthz?verbose. */
  readonly statusToken: string | undefined;
  /** The site's folder, absolute. */
  readonly dir: string;
  /** Absolute, without a trailing slash. */
  readonly siteUrl: string;
  /** Whether nobody has said what the site's address is, and `siteUrl` is a guess. */
  readonly siteUrlIsGuess: boolean;
  /** The live signing secrets, the newest first; empty where none is set. */
  readonly secrets: readonly string[];
  /** The config file, absolute; undefined where there is none. */
  readonly configFile: string | undefined;
  /** The process's environment, for programs that are run. */
  readonly environment: NodeJS.Dict<string>;
}

/**
 * Reads the settings of a site: defaults, then `pressmark.config.*`, then `.env` and the environment, then flags.
 * This is the only place that reads `process.env`.
 *
 * @param variables the environment.
 * @throws PressmarkError CONFIG_INVALID, saying where, what and how to fix it.
 */
export async function loadSettings(
  dir: string,
  flags: Flags = {},
  variables: NodeJS.Dict<string> = process.env,
): Promise<Settings> {
  if (!fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory())
    throw invalid(`--dir ${quote(dir, 200)} is no folder`);
  const configFile = CONFIG_NAMES.map((name) => join(dir, name)).find((path) => fs.existsSync(path));
  const environment = readEnvironment(dir, variables);
  const input = configFile === undefined ? {} : await readConfigFile(configFile);
  const result = schema.safeParse({ ...input, ...fromEnvironment(environment), ...flags });
  if (!result.success) throw invalid(describe(result.error, configFile));
  const { siteUrl, build, deploy, ...config } = result.data;
  const {
    PRESSMARK_DEPLOY_HOOK: url,
    PRESSMARK_DEPLOY_TOKEN: token,
    PRESSMARK_STATUS_TOKEN: status,
  } = environment;
  return {
    ...config,
    build: typeof build === 'object' ? build.command : build,
    buildsInBackground: typeof build === 'object' ? build.background : build !== undefined,
    buildTimeoutMs: (typeof build === 'object' ? build.timeLimit : 600) * 1_000,
    deploy: [deploy].flat(),
    deployHook: { ...(url && { url }), ...(token && { token }) },
    statusToken: status || undefined,
    // Two builders of one site would overwrite each other's pages.
    ...(config.generator !== 'plain' && { site: false as const }),
    dir,
    siteUrl: (siteUrl ?? `http://localhost:${config.port}`).replace(/\/+$/, ''),
    siteUrlIsGuess: siteUrl === undefined,
    secrets: (environment.PRESSMARK_SECRET ?? '')
      .split(',')
      .map((secret) => secret.trim())
      .filter((secret) => secret !== ''),
    configFile,
    environment: variables,
  };
}

/** The environment of the process, for programs that are run before a site has settings. */
export function processEnvironment(): NodeJS.Dict<string> {
  return process.env;
}

/** The process's environment over the site's `.env`; a variable that is set to nothing is not set. */
function readEnvironment(dir: string, variables: NodeJS.Dict<string>): NodeJS.Dict<string> {
  const path = join(dir, '.env');
  if (!fs.existsSync(path)) return variables;
  try {
    const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
    return { ...parseEnv(fs.readFileSync(path, 'utf8')), ...set };
  } catch (cause) {
    throw invalid(`.env cannot be read: ${messageOf(cause)}`, cause);
  }
}

function fromEnvironment(environment: NodeJS.Dict<string>): Record<string, unknown> {
  const { PRESSMARK_SITE_URL: siteUrl, PRESSMARK_ENDPOINT: endpoint, PORT: port, HOST: host } = environment;
  if (port !== undefined && port !== '' && !/^\d+$/.test(port))
    throw invalid(`PORT must be a number, got ${quote(port)}`);
  return {
    ...(siteUrl && { siteUrl }),
    ...(endpoint && { endpoint }),
    ...(port && { port: Number(port) }),
    ...(host && { host }),
  };
}

function describe(error: z.ZodError, configFile: string | undefined): string {
  const [first] = error.issues;
  if (first === undefined) return 'the settings are wrong';
  const issue = innermost(first);
  const where = configFile ?? 'environment or command line';
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const path = [...issue.path, key].join('.');
    return `${where}: there is no setting ${quote(path)}${didYouMean(key, knownKeys(issue.path))}`;
  }
  return `${where}: ${issue.path.join('.')} ${issue.message}`;
}

/** What is wrong inside a value of which several forms are allowed, where one of the forms gets that far. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const inner = issue.errors.flat().find(({ path, code }) => path.length > 0 || code === 'unrecognized_keys');
  return inner === undefined ? issue : innermost({ ...inner, path: [...issue.path, ...inner.path] });
}

function knownKeys(path: readonly PropertyKey[]): string[] {
  if (path[0] === 'articles') return ['file', 'permalink', 'body', 'frontMatter', 'timeZone'];
  if (path[0] === 'generator' && path[1] === 'keys')
    return ['title', 'description', 'date', 'updated', 'tags', 'image'];
  if (path[0] === 'generator')
    return ['name', 'keys', 'dates', 'timeZone', 'rawHtml', 'templateSwitch', 'htmlFiles'];
  if (path[0] === 'build') return ['command', 'background', 'timeLimit'];
  if (path[0] === 'deploy')
    return ['branch', 'remote', 'keep', 'folder', 'command', 'timeLimit', 'hook', 'allowPrivate'];
  if (path[0] === 'site') return knownSiteKeys(path);
  if (path[0] === 'git' && path[1] === 'push') return ['remote', 'branch', 'debounce', 'fetchEvery'];
  if (path[0] === 'git') return ['author', 'message', 'skipCi', 'commitEdits', 'push'];
  return Object.keys(schema.shape);
}

function knownSiteKeys([, key]: readonly PropertyKey[]): string[] {
  if (key === 'navigation') return ['label', 'href'];
  if (key === 'search') return ['maxPages'];
  if (key === 'logo') return ['src', 'width', 'height'];
  return Object.keys(siteSchema.shape);
}
