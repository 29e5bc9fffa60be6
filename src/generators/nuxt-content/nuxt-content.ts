import { textAt } from '../../article/plain-data.js';
import type { AskedSite, Generator, SiteFacts } from '../generator.js';
import { answerTo, nodeCommand } from '../inspect/ask.js';
import { firstFile, installedVersion, npmDependencies, untestedVersion } from '../inspect/manifests.js';
import { buildCommand } from '../inspect/site-build.js';
import { publicAddress } from '../inspect/site-files.js';
import { inspectFolder } from '../markdown-folder/markdown-folder.js';
import type { BuiltBy } from '../markdown-folder/programs.js';
import { mapping } from './mapping.js';

const CONFIG_FILES = ['ts', 'js', 'mjs', 'mts'].map((end) => `nuxt.config.${end}`);

/** A site of Nuxt Content 3; see docs/nuxt-content.md. */
export const nuxtContent: Generator = {
  name: 'nuxt-content',
  packages: ['@nuxt/content'],
  recognise: (files) =>
    npmDependencies(files).has('@nuxt/content') ? firstFile(files, CONFIG_FILES) : undefined,
  inspect,
  mapping,
  configFiles: [...CONFIG_FILES, 'package.json', 'content.config.ts', 'app', 'pages'],
  caches: ['.nuxt', '.output', '.data', 'dist'],
  pinsAddresses: true,
};

/** The folder from which Nuxt Content reads files, unless a collection sets another. */
const CONTENT = 'content';

/** Finds out the facts about a Nuxt Content site for `init`: the configuration from Nuxt, the rest from posts and pages. */
async function inspect(site: AskedSite): Promise<SiteFacts> {
  const facts = await inspectFolder({ ...site, content: site.content ?? CONTENT }, programOf);
  const { rawHtml: _, ...options } = facts.options;
  return { ...facts, options };
}

const ASK = nodeCommand(`
import { loadNuxtConfig } from 'nuxt/kit';
const { app, site, runtimeConfig, nitro } = await loadNuxtConfig({ cwd: process.cwd() });
answer({
  base: app.baseURL,
  url: [site?.url, runtimeConfig?.public?.siteUrl].find((url) => /^https?:/.test(url)),
  output: nitro?.output?.publicDir,
  language: app.head?.htmlAttrs?.lang,
});
`);

async function programOf(site: AskedSite): Promise<BuiltBy> {
  const answer = await answerTo(site, ASK, 'node -e "loadNuxtConfig()"');
  return {
    siteUrl: publicAddress(answer.url, answer.base ?? '/'),
    siteUrlSource: 'site.url or runtimeConfig.public.siteUrl, and app.baseURL',
    language: textAt(answer, 'language'),
    output: textAt(answer, 'output') ?? '.output/public',
    // Each page is a folder with an index.
    endsWithSlash: true,
    ignore: ['.output/', '.nuxt/', '.data/', 'dist'],
    // `nuxt build` does not create a folder of pages.
    build: await buildCommand(
      site,
      /\bnux(?:t|i)\s+(?:generate|build\s.*--prerender)\b/,
      'npx nuxt generate',
      ['generate', 'build'],
    ),
    questions: [],
    warnings: untestedVersion(installedVersion(site.files, '@nuxt/content'), 'Nuxt Content 3', [3]),
  };
}
