import { parseEnv } from 'node:util';

/** Pressmark's variables that other programs may see. None is a secret. */
const PUBLIC = new Set(['PRESSMARK_SITE_URL', 'PRESSMARK_ENDPOINT', 'PRESSMARK_CONFIG']);

/** The name of a variable of Pressmark that is a secret. */
export const SECRET_NAME = /PRESSMARK_\w*(?:SECRET|TOKEN|HOOK)\b/i;

/**
 * The environment of every program that Pressmark runs: git and its helpers, builds, deploy commands, lock helpers, Pagefind.
 * It lacks Pressmark's own variables, which hold the signing secrets, the deploy hook and the tokens: a program might print or
 * log them.
 *
 * @param env the environment to filter. @default this process's own
 */
export function childEnvironment(env: NodeJS.Dict<string> = process.env): NodeJS.Dict<string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !name.toUpperCase().startsWith('PRESSMARK_') || PUBLIC.has(name.toUpperCase()),
    ),
  );
}

/** The variables that the text of a `.env` sets. Some editors begin it with a byte order mark. */
export function variablesIn(text: string): NodeJS.Dict<string> {
  return parseEnv(text.replace(/^(?:\ufeff|\u00ef\u00bb\u00bf)/, ''));
}
