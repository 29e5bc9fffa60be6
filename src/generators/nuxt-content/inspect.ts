import type { AskedSite, SiteFacts } from '../generator.js';
import { nodeCommand, shellWord } from '../inspect/ask.js';
import { buildCommand, installedVersion, npmScripts } from '../inspect/manifests.js';
import { inspectFolder } from '../markdown-folder/inspect.js';
import type { BuiltBy } from '../markdown-folder/programs.js';
import { mapOf, textsOf } from '../value.js';
import { untestedVersion } from '../version.js';

/** Where Nuxt Content reads files, unless a collection says another folder. */
const CONTENT = 'content';

/** What `init` finds out about a site of Nuxt Content: its configuration from Nuxt, the rest from its posts and pages. */
export async function inspect(site: AskedSite): Promise<SiteFacts> {
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
  const answer = mapOf(JSON.parse((await site.ask(ASK, 'node -e "loadNuxtConfig()"')) ?? '{}'));
  const text = (key: string) => textsOf(answer[key])[0];
  const output = text('output') ?? '.output/public';
  const url = text('url');
  const isKnown = url !== undefined && URL.canParse(url);
  const base = (text('base') ?? '/').replace(/^\/+|\/+$/g, '');
  return {
    siteUrl: isKnown ? `${new URL(url).origin}${base === '' ? '' : `/${base}`}` : undefined,
    siteUrlSource: 'site.url or runtimeConfig.public.siteUrl, and app.baseURL',
    language: text('language'),
    output,
    // Each page is the index of a folder.
    endsWithSlash: true,
    ignore: ['.output/', '.nuxt/', '.data/', 'dist'],
    build: await buildOf(site),
    questions: [],
    warnings: untestedVersion(
      installedVersion(site.files, '@nuxt/content'),
      'Nuxt Content 3',
      (major) => major === 3,
    ),
  };
}

/** The script that makes a folder of pages, which `nuxt build` does not. */
async function buildOf(site: Pick<AskedSite, 'files' | 'ask'>): Promise<string> {
  const scripts = npmScripts(site.files);
  const names = Object.keys(scripts).filter((name) =>
    /\bnux(?:t|i)\s+(?:generate|build\s.*--prerender)\b/.test(scripts[name] ?? ''),
  );
  const name = ['generate', 'build'].find((one) => names.includes(one)) ?? names[0];
  return name === undefined ? 'npx nuxt generate' : buildCommand(site, shellWord(name));
}
