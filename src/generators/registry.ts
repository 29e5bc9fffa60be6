import { PressmarkError, quote } from '../errors.js';
import { astro } from './astro/astro.js';
import { docusaurus } from './docusaurus/docusaurus.js';
import { eleventy } from './eleventy/eleventy.js';
import type { Generator, SiteFiles } from './generator.js';
import { hexo } from './hexo/hexo.js';
import { hugo } from './hugo/hugo.js';
import { dependencies } from './inspect/manifests.js';
import { jekyll } from './jekyll/jekyll.js';
import { markdownFolder } from './markdown-folder/markdown-folder.js';
import { nuxtContent } from './nuxt-content/nuxt-content.js';
import { vitepress } from './vitepress/vitepress.js';

/** The known generators, in the order in which a site is checked for them. */
export const GENERATORS: readonly Generator[] = [
  hugo,
  jekyll,
  eleventy,
  astro,
  hexo,
  vitepress,
  docusaurus,
  nuxtContent,
  markdownFolder,
];

/**
 * The built-in definition of this name.
 *
 * @throws PressmarkError CONFIG_INVALID if there is none.
 */
export function generatorNamed(name: string): Generator {
  const found = GENERATORS.find((generator) => generator.name === name);
  if (found === undefined) throw new PressmarkError('CONFIG_INVALID', `there is no generator ${quote(name)}`);
  return found;
}

/** The part of a definition that recognises a site. */
export type Recognisable = Pick<Generator, 'name' | 'packages' | 'recognise'>;

/** A generator that builds a site, by its files. */
export interface Recognised<T extends Recognisable = Generator> {
  readonly generator: T;
  /** The sign of it, such as `hugo.toml` or `package.json: astro`. */
  readonly evidence: string;
  /**
   * The weight of the evidence: a configuration file of the generator's own weighs more than one with a common name, or a
   * dependency.
   */
  readonly strength: number;
}

/** Names of files and folders that several programs use. */
const COMMON_FILES = /^(?:config(?:\.(?:toml|ya?ml|json)|\/.*)|_posts\/)$/;

/**
 * The generators that a site may be built with, the most probable first. If two have the same strength, the owner must decide.
 */
export function recogniseGenerators<T extends Recognisable>(
  files: SiteFiles,
  generators: readonly T[],
): readonly Recognised<T>[] {
  const packages = dependencies(files);
  return generators
    .flatMap((generator): Recognised<T>[] => {
      const file = generator.recognise(files);
      const dependency = generator.packages?.find((name) => packages.has(name));
      if (file === undefined && dependency === undefined) return [];
      const evidence = file ?? `${packages.get(dependency ?? '')}: ${dependency}`;
      const byFile = file === undefined ? 0 : COMMON_FILES.test(file) ? 1 : 2;
      return [{ generator, evidence, strength: byFile + (dependency === undefined ? 0 : 1) }];
    })
    .sort((one, other) => other.strength - one.strength);
}
