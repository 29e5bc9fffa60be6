import fs from 'node:fs';
import { join } from 'node:path';
import { variablesIn } from '../child-environment.js';
import { messageOf } from '../errors.js';
import { invalid } from './config-file.js';

/** The sources of a site's variables: its folder with `.env`, and the process's environment. */
export interface SiteEnvironment {
  readonly dir: string;
  readonly environment: NodeJS.Dict<string>;
}

/** The environment of the process, for programs that run before a site has settings. */
export function processEnvironment(): NodeJS.Dict<string> {
  return process.env;
}

/** Sets variables of this process and its children, for options that all commands have. */
export function setVariables(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
}

/**
 * Reads the site's `.env`, overridden by the process's environment. An empty variable of the environment does not override
 * `.env`.
 */
export function readEnvironment({ dir, environment }: SiteEnvironment): NodeJS.Dict<string> {
  const path = join(dir, '.env');
  if (!fs.existsSync(path)) return environment;
  try {
    const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
    return { ...variablesIn(fs.readFileSync(path, 'utf8')), ...set };
  } catch (cause) {
    throw invalid(`.env cannot be read: ${messageOf(cause)}; let the user who runs Pressmark read it`, cause);
  }
}
