/** The variables of Pressmark's that other programs may see: none is a secret. */
const PUBLIC = new Set(['PRESSMARK_SITE_URL', 'PRESSMARK_ENDPOINT', 'PRESSMARK_CONFIG']);

/**
 * The environment of every program that Pressmark runs: git and its helpers, builds, deploy commands, lock helpers,
 * Pagefind. Pressmark's own variables hold the signing secrets, the deploy hook and the tokens, and stay here: what such a
 * program prints or logs is nobody's to check.
 *
 * @param env the environment without them. @default this process's own
 */
export function childEnvironment(env: NodeJS.Dict<string> = process.env): NodeJS.Dict<string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !name.toUpperCase().startsWith('PRESSMARK_') || PUBLIC.has(name.toUpperCase()),
    ),
  );
}
