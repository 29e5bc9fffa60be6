import { fileURLToPath } from 'node:url';
import { runPostbuild } from './app/build/postbuild.js';
import { PressmarkError } from './errors.js';

/** What Astro hands to integrations, as far as it is used here. Pressmark does not depend on Astro. */
interface Logger {
  info(message: string): void;
  warn(message: string): void;
}

/** An integration, for `integrations` of `astro.config.mjs`. */
export interface PressmarkIntegration {
  readonly name: string;
  readonly hooks: {
    'astro:config:done'(options: { config: { root: URL } }): void;
    'astro:build:done'(options: { dir: URL; logger: Logger }): Promise<void>;
  };
}

/**
 * Checks and completes the articles' pages at the end of `astro build`, as `pressmark postbuild` does: JSON-LD in the
 * head, the item comment in the article. The build fails where an article's page is missing.
 */
export default function pressmark(): PressmarkIntegration {
  let root = process.cwd();
  return {
    name: 'pressmark',
    hooks: {
      'astro:config:done': ({ config }) => {
        root = fileURLToPath(config.root);
      },
      'astro:build:done': async ({ dir, logger }) => {
        const { missing, warnings, changed } = await runPostbuild(root, fileURLToPath(dir));
        for (const warning of warnings) logger.warn(warning);
        if (missing.length > 0)
          throw new PressmarkError('POSTBUILD_FAILED', `Pressmark: ${missing.join('\n')}`);
        logger.info(`${changed} pages completed`);
      },
    },
  };
}
