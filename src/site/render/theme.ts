import { hash } from 'node:crypto';
import vm from 'node:vm';
import { Eta } from 'eta/core';
import { messageOf, PressmarkError } from '../../errors.js';
import type { ThemeFolder } from '../../host/pages/page-additions.js';
import type { SiteInfo } from '../../host/pages/page-types.js';
import { contentSecurityPolicy } from './content-security-policy.js';
import { type Translate, translations } from './i18n.js';
import {
  assetsIn,
  BUILT_IN,
  rootFilesIn,
  sourcesIn,
  type ThemeSources,
  themeFolderOf,
  withHash,
} from './theme-files.js';

/** How a site looks: the built-in theme, and files of other themes and of the site in place of those of the same name. */
export interface Theme {
  /** The style sheet, what is in `assets/`, and what goes to the top of the site, by their names below the output folder. */
  readonly files: ReadonlyMap<string, () => string | Uint8Array>;
  /** Those of them whose names hold a hash of their content, so that browsers may keep them for ever. */
  readonly hashedFiles: readonly string[];
  /** The Content-Security-Policy of its pages. */
  readonly policy: string;
  readonly t: Translate;
  /** Of everything that pages are made of; another value means that all pages may look different. */
  readonly hash: string;
  /** Whether there is a template `<name>.eta`. */
  has(name: string): boolean;
  /**
   * The file below the output folder in which `style.css`, or a file in `assets/`, stands under a name with a hash.
   *
   * @throws PressmarkError TEMPLATE_FAILED where there is no such file.
   */
  hashed(name: string): string;
  /**
   * Renders the template `<name>.eta`, or the file of that very name.
   *
   * @throws PressmarkError TEMPLATE_FAILED, naming the template and the line.
   */
  render(name: string, data: object): string;
}

/**
 * Reads the theme. A template that does not compile fails when it is used, so that the pages that do not
 * need it are built.
 *
 * @param given those of themes and, last, the site's own templates: a file stands in place of those of the same name
 *   in the folders before it and in the built-in theme. The folders need not exist.
 */
export function loadTheme(given: readonly (string | ThemeFolder)[], site: SiteInfo): Theme {
  const folders = given.map(themeFolderOf);
  const layers = [BUILT_IN, ...folders].map(sourcesIn);
  const sources = new Map(layers.flatMap((layer) => [...layer]));
  const assets = new Map(folders.flatMap(assetsIn).map((asset) => [asset.file, asset]));
  const styleSheet = styleSheetOf(layers, site);
  const hashedFiles = [styleSheet.file, ...[...assets.values()].map(({ hashedFile }) => hashedFile)];
  return {
    files: new Map<string, () => string | Uint8Array>([
      [styleSheet.file, () => styleSheet.text],
      ...[...assets.values()].flatMap(({ file, hashedFile, read }) =>
        [file, hashedFile].map((name) => [name, read] as const),
      ),
      ...folders.flatMap(rootFilesIn),
    ]),
    hashedFiles,
    policy: contentSecurityPolicy(layers.flatMap((layer) => [...layer.values()])),
    t: translations(layers, site),
    hash: hash('sha256', JSON.stringify([layers.map((layer) => [...layer]), hashedFiles])),
    has: (name) => sources.has(`${name}.eta`),
    hashed: (name) => {
      const file = name === 'style.css' ? styleSheet.file : assets.get(`assets/${name}`)?.hashedFile;
      if (file !== undefined) return file;
      throw new Error(`there is no asset ${name}; add it to templates/assets/`);
    },
    render: rendererOf(sources),
  };
}

/** The topmost `style.css`, and every `custom.css` from its layer on. */
function styleSheetOf(layers: readonly ThemeSources[], { accent }: SiteInfo) {
  const first = layers.findLastIndex((layer) => layer.has('style.css'));
  const text = [
    layers[first]?.get('style.css') ?? '',
    ...layers.slice(first).flatMap((layer) => layer.get('custom.css') ?? []),
    // Last, as an @import must be first; without weight, so that a style sheet's own colours win.
    `/* Pressmark: the accent colour of the config */`,
    `:where(:root) { --accent-light: ${accent.light}; --accent-dark: ${accent.dark} }`,
    '',
  ].join('\n');
  return { file: withHash('assets/style.css', hash('sha256', text)), text };
}

function rendererOf(sources: ThemeSources): Theme['render'] {
  // `debug` keeps the line for messages.
  const eta = new Eta({ autoEscape: true, cache: true, debug: true });
  eta.resolvePath = (name) => {
    const plain = name.replace(/^\.?\//, '');
    return sources.has(plain) || plain.endsWith('.eta') ? plain : `${plain}.eta`;
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

/**
 * Sees to it that a template can be compiled.
 *
 * @throws an Error whose first line is `<name>:<line>`, as the template engine's own are when a template runs.
 */
function checkSyntax(eta: Eta, name: string, source: string): void {
  let code: string;
  try {
    code = eta.compileToString(source);
  } catch (error) {
    const [, reason = messageOf(error), line = '1'] = /^(.*) at line (\d+)/.exec(messageOf(error)) ?? [];
    throw new Error(`${name}:${line}\n\n${reason}`, { cause: error });
  }
  try {
    new vm.Script(`(function (it, options) {${code}\n})`);
  } catch (error) {
    throw new Error(`${name}:${sourceLine(code, error)}\n\n${messageOf(error)}`, { cause: error });
  }
}

/** The template's line that stands behind the line of compiled code at which it is no JavaScript any more. */
function sourceLine(code: string, error: unknown): string {
  const [, line = '1'] = (error instanceof Error && /^[^\n]*:(\d+)\n/.exec(error.stack ?? '')) || [];
  const before = code.split('\n').slice(0, Number(line)).join('\n');
  return before.match(/(?<=^__eta\.line=)\d+/gm)?.at(-1) ?? '1';
}

/**
 * A failure's message in one line: the innermost template and the reason, then where it is included; the same for
 * all pages that fail there. The template engine writes `<name>:<line>`, some lines around it and a blank one for
 * each template on the way.
 */
function placeFirst(message: string): string {
  const parts = message.split('\n\n');
  const isPlace = (part: string) => /^\S+:\d+(?:\n|$)/.test(part);
  const end = parts.findIndex((part) => !isPlace(part));
  const places = parts.slice(0, end === -1 ? parts.length : end).map((part) => part.split('\n', 1)[0]);
  const reason = parts.slice(places.length).join(' ').replace(/\s+/g, ' ');
  const [place, around] = places.reverse();
  if (place === undefined) return reason;
  return `template ${place}: ${reason}${around === undefined ? '' : ` (in ${around})`}`;
}
