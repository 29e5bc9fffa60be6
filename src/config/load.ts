import fs from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { type Service, serviceOf } from '../contract/service.js';
import { messageOf, PressmarkError, quote } from '../errors.js';
import { CONFIG_NAMES, invalid, readConfigFile } from './config-file.js';
import { describe, type SourceOf } from './describe.js';
import { type SettingInForce, settingsInForce } from './in-force.js';
import { type Config, type DeploySetting, schema } from './schema.js';

/** What the command line says; over the environment and the file. */
export interface Flags {
  readonly port?: number;
  readonly host?: string;
}

/** Signing secrets that were replaced by a newer one. */
export interface OldSecrets {
  readonly secrets: readonly string[];
  /** Until when they are live, ISO 8601. */
  readonly until: string;
}

/** Everything that is set for one site. */
export interface Settings extends Omit<Config, 'siteUrl' | 'build' | 'deploy' | 'service'> {
  /** What the service calls itself. */
  readonly service: Service;
  /** The build command; undefined if there is none. */
  readonly build: string | undefined;
  /** Whether the receiver builds the site in the background. */
  readonly buildsInBackground: boolean;
  /** How long one build may take, in milliseconds. */
  readonly buildTimeoutMs: number;
  /** How much time lies at least between two builds, and between two calls of a deploy hook, in milliseconds. */
  readonly buildEveryMs: number;
  readonly deploy: readonly DeploySetting[];
  /** The URL of the host's build hook, a secret, and a token for it. */
  readonly deployHook: { readonly url?: string; readonly token?: string };
  /** A token for the host of the git remote, which opens pull requests; a secret. */
  readonly gitToken: string | undefined;
  /** A secret, with which other machines are answered by /healthz?verbose. */
  readonly statusToken: string | undefined;
  /** The site's folder, absolute. */
  readonly dir: string;
  /** Absolute, without a trailing slash. */
  readonly siteUrl: string;
  /** Whether nobody has said what the site's address is, and `siteUrl` is a guess. */
  readonly siteUrlIsGuess: boolean;
  /** The live signing secrets, the newest first; empty if none is set. */
  readonly secrets: readonly string[];
  /** Those of them that are live for some time yet; undefined if there are none. */
  readonly oldSecrets: OldSecrets | undefined;
  /** What is set, and where. */
  readonly inForce: readonly SettingInForce[];
  /** The config file, absolute; undefined if there is none. */
  readonly configFile: string | undefined;
  /** The process's environment, for programs that are run. */
  readonly environment: NodeJS.Dict<string>;
}

/**
 * Reads the settings of a site: defaults, then `pressmark.config.*`, then `.env` and the environment, then flags.
 * This is the only place that reads `process.env`.
 *
 * @param variables the environment.
 * @throws PressmarkError CONFIG_INVALID, with a line for each fault: where, what and how to fix it.
 */
export async function loadSettings(
  dir: string,
  flags: Flags = {},
  variables: NodeJS.Dict<string> = process.env,
): Promise<Settings> {
  if (!fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory())
    throw invalid(`--dir ${quote(dir, 200)} is not a folder; give the folder of the site`);
  const environment = readEnvironment({ dir, environment: variables });
  const configFile = configFileOf(dir, environment);
  const input = configFile === undefined ? {} : await readConfigFile(configFile);
  const set = fromEnvironment(environment);
  const given = { ...input, ...set, ...flags };
  const result = schema.safeParse(given);
  const current = secretsIn(environment);
  if (!result.success || current === undefined) {
    const sourceOf: SourceOf = (key = '') =>
      key in flags ? 'command line' : key in set ? 'environment or .env' : (configFile ?? 'config');
    throw invalid(
      [
        ...(result.success ? [] : describe(result.error, given, { schema, sourceOf })),
        ...(current === undefined ? [noSecretIn(environment)] : []),
      ].join('\n'),
    );
  }
  const { secrets, oldSecrets } = withOld(current, environment);
  const { admin, siteUrl: site } = result.data;
  if (admin.public !== false && site !== undefined && hostnameIn(admin.public) === hostnameIn(site))
    throw invalid(
      `admin.public ${quote(admin.public)} has the host name of siteUrl; give the admin another one, such as https://admin.example.com, as scripts in articles could act for whoever is logged in`,
    );
  const { siteUrl, build, deploy, service, ...config } = result.data;
  const {
    PRESSMARK_DEPLOY_HOOK: url,
    PRESSMARK_DEPLOY_TOKEN: token,
    PRESSMARK_GIT_TOKEN: gitToken,
    PRESSMARK_STATUS_TOKEN: status,
  } = environment;
  return {
    ...config,
    service: serviceOf(service),
    build: typeof build === 'object' ? build.command : build,
    buildsInBackground:
      typeof build === 'object' ? build.background && build.command !== undefined : build !== undefined,
    buildTimeoutMs: (typeof build === 'object' ? build.timeLimit : 600) * 1_000,
    buildEveryMs: (typeof build === 'object' ? build.every : 0) * 1_000,
    deploy: [deploy].flat(),
    deployHook: { ...(url && { url }), ...(token && { token }) },
    gitToken: gitToken || undefined,
    statusToken: status || undefined,
    // Two builders of one site would overwrite each other's pages.
    ...(config.generator !== 'plain' && { site: false as const }),
    dir,
    siteUrl: (siteUrl ?? `http://localhost:${config.port}`).replace(/\/+$/, ''),
    siteUrlIsGuess: siteUrl === undefined,
    secrets,
    oldSecrets,
    inForce: settingsInForce(result.data, { file: input, environment: set, flags }),
    configFile,
    environment: variables,
  };
}

/**
 * The config of a folder; undefined if there is none.
 *
 * @throws PressmarkError CONFIG_INVALID if one is named that is not there.
 */
export function configFileOf(
  dir: string,
  { PRESSMARK_CONFIG: named }: NodeJS.Dict<string> = readEnvironment({ dir, environment: process.env }),
): string | undefined {
  if (!named) return CONFIG_NAMES.map((name) => join(dir, name)).find((path) => fs.existsSync(path));
  const path = resolve(dir, named);
  if (fs.existsSync(path)) return path;
  throw invalid(`the config ${quote(path, 200)} is not there; correct --config or PRESSMARK_CONFIG`);
}

/**
 * A site's address as somebody has given it, without a trailing slash.
 *
 * @throws PressmarkError USAGE if it cannot be one.
 */
export function siteUrlOf(text: string): string {
  const { success, error } = schema.safeParse({ siteUrl: text });
  if (success) return text.replace(/\/+$/, '');
  throw new PressmarkError(
    'USAGE',
    `the address ${quote(text, 200)} ${error.issues[0]?.message ?? 'is not possible'}`,
  );
}

function hostnameIn(url: string): string {
  return new URL(url).hostname;
}

/** The live signing secrets; undefined if the variable is set and holds none. */
function secretsIn({ PRESSMARK_SECRET: list = '' }: NodeJS.Dict<string>): string[] | undefined {
  const secrets = listedSecrets(list);
  // A random one in its place would refuse every delivery.
  return list !== '' && secrets.length === 0 ? undefined : secrets;
}

/** The live signing secrets as the environment and `.env` have them now. @throws PressmarkError CONFIG_INVALID */
export function secretsOf(
  site: Pick<Settings, 'dir' | 'environment'>,
): Pick<Settings, 'secrets' | 'oldSecrets'> {
  const environment = readEnvironment(site);
  return withOld(secretsIn(environment) ?? [], environment);
}

function withOld(current: readonly string[], environment: NodeJS.Dict<string>) {
  const oldSecrets = oldSecretsIn(environment);
  return { secrets: [...new Set([...current, ...(oldSecrets?.secrets ?? [])])], oldSecrets };
}

/** The secrets of a variable, which has commas between them. */
export function listedSecrets(list = ''): string[] {
  return list
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
}

/** @throws PressmarkError CONFIG_INVALID if it is not known until when they are live. */
function oldSecretsIn({
  PRESSMARK_OLD_SECRET: list,
  PRESSMARK_OLD_SECRET_UNTIL: until = '',
}: NodeJS.Dict<string>): OldSecrets | undefined {
  const secrets = listedSecrets(list);
  if (secrets.length === 0) return undefined;
  if (Number.isNaN(Date.parse(until)))
    throw invalid(
      `PRESSMARK_OLD_SECRET_UNTIL is ${quote(until)}; set it to the time until which PRESSMARK_OLD_SECRET is live, such as 2026-05-01T12:00:00Z, or remove both`,
    );
  return Date.parse(until) > Date.now() ? { secrets, until } : undefined;
}

function noSecretIn({ PRESSMARK_SECRET: list }: NodeJS.Dict<string>): string {
  return `PRESSMARK_SECRET is ${quote(list)}, which holds no secret; set it to the one that the service issued, or remove it`;
}

/** The environment of the process, for programs that are run before a site has settings. */
export function processEnvironment(): NodeJS.Dict<string> {
  return process.env;
}

/** Sets variables of this process and of those that it starts: what the command line says of all commands. */
export function setVariables(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
}

/** The process's environment over the site's `.env`; a variable that is set to nothing is not set. */
export function readEnvironment({
  dir,
  environment,
}: Pick<Settings, 'dir' | 'environment'>): NodeJS.Dict<string> {
  const path = join(dir, '.env');
  if (!fs.existsSync(path)) return environment;
  try {
    const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
    return { ...parseEnv(fs.readFileSync(path, 'utf8')), ...set };
  } catch (cause) {
    throw invalid(`.env cannot be read: ${messageOf(cause)}`, cause);
  }
}

function fromEnvironment(environment: NodeJS.Dict<string>): Record<string, unknown> {
  const { PRESSMARK_SITE_URL: siteUrl, PRESSMARK_ENDPOINT: endpoint, PORT: port } = environment;
  const { PRESSMARK_LOG_LEVEL: logLevel } = environment;
  const { PRESSMARK_HOST: host } = environment; // not HOST, which some shells set to the machine's name
  return {
    ...(siteUrl && { siteUrl }),
    ...(endpoint && { endpoint }),
    ...(port && { port: /^\d+$/.test(port) ? Number(port) : port }),
    ...(host && { host }),
    ...(logLevel && { logLevel }),
  };
}
