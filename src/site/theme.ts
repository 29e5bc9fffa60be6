import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Eta } from 'eta/core';
import { messageOf, PressmarkError } from '../errors.js';
import { isGone } from '../store/entry.js';

/** The built-in theme; from dist/src/site/ it is three folders up, in the package's root. */
const BUILT_IN = fileURLToPath(new URL('../../../templates/', import.meta.url));

/** The templates of a site: the built-in ones, and the site's own in place of those of the same name. */
export interface Theme {
  /** The style sheet's text. */
  readonly css: string;
  /** Of everything in the theme; another value means that all pages may look different. */
  readonly digest: string;
  /**
   * Renders the template `<name>.eta`.
   *
   * @throws PressmarkError TEMPLATE_FAILED, naming the template and the line.
   */
  render(name: string, data: object): string;
}

/**
 * Reads the theme. A template that does not compile fails when it is used, so that the pages that do not
 * need it are built.
 *
 * @param ownDir the site's own templates; the folder need not exist.
 */
export function loadTheme(ownDir: string): Theme {
  const sources = new Map([...readFolder(BUILT_IN), ...readFolder(ownDir)]);
  // `debug` keeps the line for messages; it costs a twentieth of a page.
  const eta = new Eta({ autoEscape: true, cache: true, debug: true });
  eta.resolvePath = (name) => `${name.replace(/^\.?\//, '').replace(/\.eta$/, '')}.eta`;
  eta.readFile = (name) => {
    const source = sources.get(name);
    if (source === undefined)
      throw new PressmarkError('TEMPLATE_FAILED', `there is no template ${name}; add it to templates/`);
    try {
      eta.compile(source, { filepath: name });
    } catch (error) {
      throw new PressmarkError('TEMPLATE_FAILED', `${name}: ${messageOf(error)}`, { cause: error });
    }
    return source;
  };

  function render(name: string, data: object): string {
    try {
      return eta.render(name, data);
    } catch (error) {
      if (error instanceof PressmarkError) throw error;
      throw new PressmarkError('TEMPLATE_FAILED', `template ${messageOf(error)}`, { cause: error });
    }
  }

  return {
    css: sources.get('style.css') ?? '',
    digest: hash('sha256', JSON.stringify([...sources].sort())),
    render,
  };
}

/** The templates and the style sheet in a folder, by their names below it. */
function readFolder(folder: string): [name: string, source: string][] {
  let names: string[];
  try {
    names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
  return names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.eta') || name === 'style.css')
    .sort()
    .map((name) => [name, fs.readFileSync(join(folder, name), 'utf8')]);
}
