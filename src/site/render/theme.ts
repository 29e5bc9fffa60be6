import { hash } from 'node:crypto';
import { Eta } from 'eta/core';
import { messageOf, PressmarkError } from '../../errors.js';
import type { SiteInfo } from '../../host/page-types.js';
import { type Translate, translations } from './i18n.js';
import { checkSyntax, placeFirst } from './template-errors.js';
import { type Asset, assetsIn, builtInSources, sourcesIn, type ThemeSources } from './theme-files.js';

/** How a site looks: the built-in theme, and the site's own files in place of those of the same name. */
export interface Theme {
  /** Its name holds a hash of its text, so that browsers may keep it for ever. */
  readonly styleSheet: { readonly file: string; readonly text: string };
  /** What goes to the site as it is. */
  readonly assets: readonly Asset[];
  readonly t: Translate;
  /** Of everything that pages are made of; another value means that all pages may look different. */
  readonly digest: string;
  /**
   * Renders the template `<name>.eta`, or the file of that very name.
   *
   * @throws PressmarkError TEMPLATE_FAILED, naming the template and the line.
   */
  render(name: string, data: object): string;
}

/** Which files of the output are style sheets of this theme or of one before it. */
export const STYLE_SHEET = /^assets\/style\.[0-9a-f]{8}\.css$/;

/**
 * Reads the theme. A template that does not compile fails when it is used, so that the pages that do not
 * need it are built.
 *
 * @param ownDir the site's own templates; the folder need not exist.
 */
export function loadTheme(ownDir: string, site: SiteInfo): Theme {
  const [builtIn, own] = [builtInSources(), sourcesIn(ownDir)];
  const sources = new Map([...builtIn, ...own]);
  return {
    styleSheet: styleSheetOf(sources, site),
    assets: assetsIn(ownDir),
    t: translations([builtIn, own], site),
    digest: hash('sha256', JSON.stringify([...builtIn, ...own])),
    render: rendererOf(sources),
  };
}

function styleSheetOf(sources: ThemeSources, { accent }: SiteInfo): Theme['styleSheet'] {
  const text = [
    sources.get('style.css') ?? '',
    sources.get('custom.css') ?? '',
    // Last, as an @import must be first; without weight, so that a style sheet's own colours win.
    `/* Pressmark: the accent colour of the config */`,
    `:where(:root) { --accent-light: ${accent.light}; --accent-dark: ${accent.dark} }`,
    '',
  ].join('\n');
  return { file: `assets/style.${hash('sha256', text).slice(0, 8)}.css`, text };
}

function rendererOf(sources: ThemeSources): Theme['render'] {
  // `debug` keeps the line for messages; it costs a twentieth of a page.
  const eta = new Eta({ autoEscape: true, cache: true, debug: true });
  const resolved = new Map<string, string>();
  eta.resolvePath = (name) => {
    const known = resolved.get(name);
    if (known !== undefined) return known;
    const plain = name.replace(/^\.?\//, '');
    const file = sources.has(plain) || plain.endsWith('.eta') ? plain : `${plain}.eta`;
    resolved.set(name, file);
    return file;
  };
  eta.readFile = (name) => {
    const source = sources.get(name);
    if (source === undefined) throw new Error(`there is no template ${name}; add it to templates/`);
    checkSyntax(eta, name, source);
    return source;
  };

  return function render(name, data) {
    try {
      return eta.render(name, data);
    } catch (error) {
      throw new PressmarkError('TEMPLATE_FAILED', placeFirst(messageOf(error)), { cause: error });
    }
  };
}
