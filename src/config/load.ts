import fs from 'node:fs';
import { join, resolve } from 'node:path';
import { type Service, serviceOf } from '../contract/service.js';
import { isGone, quote } from '../errors.js';
import { CONFIG_NAMES, invalid, readConfigFile } from './config-file.js';
import { describe, type SourceOf } from './describe.js';
import { processEnvironment, readEnvironment, type SiteEnvironment } from './environment.js';
import { type SettingInForce, settingsInForce } from './in-force.js';
import { type Config, type DeploySetting, schema } from './schema.js';
import { type SecretSettings, secretsIn } from './secrets.js';

/** The settings of the command line, which override the environment and the file. */
export interface Flags {
  readonly port?: number;
  readonly host?: string;
}

/** All settings of one site. */
export interface Settings
  extends Omit<Config, 'siteUrl' | 'build' | 'deploy' | 'service'>,
    SiteEnvironment,
    SecretSettings {
  /** The names that the service uses. */
  readonly service: Service;
  /** The build command; undefined if there is none. */
  readonly build: string | undefined;
  /** Whether the receiver builds the site in the background. */
  readonly buildsInBackground: boolean;
  /** How long one build may take, in milliseconds. */
  readonly buildTimeoutMs: number;
  /** The shortest time between two builds, and between two calls of a deploy hook, in milliseconds. */
  readonly buildEveryMs: number;
  readonly deploy: readonly DeploySetting[];
  /** The URL of the host's build hook, a secret, and a token for it. */
  readonly deployHook: { readonly url?: string; readonly token?: string };
  /** A token for the host of the git remote, to open pull requests; a secret. */
  readonly gitToken: string | undefined;
  /** A secret that gives other machines access to /healthz?verbose. */
  readonly statusToken: string | undefined;
  /** Absolute, without a trailing slash. */
  readonly siteUrl: string;
  /** Whether the site's address is not set, so that `siteUrl` is a guess. */
  readonly siteUrlIsGuess: boolean;
  /** The settings with their sources. */
  readonly inForce: readonly SettingInForce[];
  /** The config file, absolute; undefined if there is none. */
  readonly configFile: string | undefined;
}

/**
 * Reads the settings of a site: defaults, then `pressmark.config.*`, then `.env` and the environment, then flags.
 *
 * @param variables the environment.
 * @throws PressmarkError CONFIG_INVALID, with a line for each fault: its place, its cause and its fix.
 */
export async function loadSettings(
  dir: string,
  flags: Flags = {},
  variables = processEnvironment(),
): Promise<Settings> {
  if (!isFolder(dir)) throw invalid(`--dir ${quote(dir, 200)} is not a folder; give the folder of the site`);
  const environment = readEnvironment({ dir, environment: variables });
  const configFile = configFileOf(dir, environment);
  const input = configFile === undefined ? {} : await readConfigFile(configFile);
  const set = fromEnvironment(environment);
  const given = { ...input, ...set, ...flags };
  const result = schema.safeParse(given);
  const secrets = secretsIn(environment);
  if (!result.success || typeof secrets === 'string') {
    const sourceOf: SourceOf = (key = '') =>
      key in flags ? 'command line' : key in set ? 'environment or .env' : (configFile ?? 'config');
    throw invalid(
      [
        ...(result.success ? [] : describe(result.error, given, { schema, sourceOf })),
        ...(typeof secrets === 'string' ? [secrets] : []),
      ].join('\n'),
    );
  }
  const { siteUrl, build, deploy, service, ...config } = result.data;
  const { public: adminUrl } = config.admin;
  if (adminUrl !== false && siteUrl !== undefined && hostnameIn(adminUrl) === hostnameIn(siteUrl))
    throw invalid(
      `admin.public ${quote(adminUrl)} has the host name of siteUrl; give the admin another one, such as https://admin.example.com, as scripts in articles could act for whoever is logged in`,
    );
  // Two builders of one site would overwrite each other's pages.
  const applied = config.generator === 'plain' ? result.data : { ...result.data, site: undefined };
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
    site: applied.site ?? false,
    dir,
    siteUrl: siteUrl ?? `http://localhost:${config.port}`,
    siteUrlIsGuess: siteUrl === undefined,
    ...secrets,
    inForce: settingsInForce(applied, { file: input, environment: set, flags }),
    configFile,
    environment: variables,
  };
}

/**
 * The config file of a folder; undefined if there is none.
 *
 * @throws PressmarkError CONFIG_INVALID if the named file does not exist.
 */
export function configFileOf(
  dir: string,
  { PRESSMARK_CONFIG: named }: NodeJS.Dict<string> = readEnvironment({
    dir,
    environment: processEnvironment(),
  }),
): string | undefined {
  if (!named) return CONFIG_NAMES.map((name) => join(dir, name)).find((path) => fs.existsSync(path));
  const path = resolve(dir, named);
  if (fs.existsSync(path)) return path;
  throw invalid(`the config ${quote(path, 200)} is not there; correct --config or PRESSMARK_CONFIG`);
}

function isFolder(path: string): boolean {
  try {
    return fs.statSync(path).isDirectory();
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

function hostnameIn(url: string): string {
  return new URL(url).hostname;
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
