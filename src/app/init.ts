import fs from 'node:fs';
import { join } from 'node:path';
import { CONFIG_NAMES } from '../config/config-file.js';
import { addIgnoreLines, createSecret } from './secret.js';

/** What `init` did or found, in words for a person. */
export interface InitReport {
  readonly done: readonly string[];
  readonly left: readonly string[];
}

/**
 * Makes a folder a Pressmark site: config, `.env` with a random secret, `.gitignore` lines. Never overwrites.
 *
 * @param dir the site's folder.
 * @param siteUrl its public address, where it is known.
 */
export function initSite(dir: string, siteUrl: string | undefined): InitReport {
  const done: string[] = [];
  const left: string[] = [];
  fs.mkdirSync(dir, { recursive: true });

  const config = CONFIG_NAMES.find((name) => fs.existsSync(join(dir, name)));
  if (config !== undefined) left.push(`${config} is there already`);
  else {
    fs.writeFileSync(join(dir, 'pressmark.config.mjs'), configText(siteUrl), { flag: 'wx' });
    done.push('wrote pressmark.config.mjs');
  }

  const env = join(dir, '.env');
  if (fs.existsSync(env) && /^\s*(?:export\s+)?PRESSMARK_SECRET\s*=/m.test(fs.readFileSync(env, 'utf8')))
    left.push('.env has a PRESSMARK_SECRET already');
  else {
    createSecret(dir);
    done.push('put a random PRESSMARK_SECRET into .env (mode 0600)');
  }

  // An output folder with files in it may be the owner's own, in git for a reason.
  const output = join(dir, 'public');
  const hasOutput = fs.existsSync(output) && fs.readdirSync(output).length > 0;
  const added = addIgnoreLines(dir, ['.env', '.pressmark/', ...(hasOutput ? [] : ['public/'])]);
  if (added.length > 0) done.push(`added ${added.join(', ')} to .gitignore`);
  else left.push('.gitignore has the lines already');
  if (hasOutput)
    left.push(
      'public/ has files in it; Pressmark adds its own and deletes none of yours (set output in the config for another folder)',
    );
  return { done, left };
}

function configText(siteUrl: string | undefined): string {
  const line =
    siteUrl === undefined
      ? "  // siteUrl: 'https://example.com', // set this before the first article: URLs are frozen at publication"
      : `  siteUrl: ${JSON.stringify(siteUrl)},`;
  return `// The settings of this site; every one is explained in Pressmark's docs/configuration.md.
/** @type {import('pressmark').ConfigInput} */
export default {
${line}
  site: {
    title: 'My site',
    description: '',
    language: 'en',
  },
};
`;
}
