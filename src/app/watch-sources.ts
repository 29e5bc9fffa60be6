import { basename } from 'node:path';
import { watch } from 'chokidar';
import { CONFIG_NAMES } from '../config/config-file.js';
import { messageOf } from '../errors.js';
import type { Log } from '../log.js';

/** Changes are gathered this long, so that an editor's write-rename-chmod is one. */
const SETTLE_MS = 100;

/** What the site is made of beside the articles. */
export interface Sources {
  /** The site's folder, with the config and `.env`. */
  readonly dir: string;
  /** With templates, and with what the owner wrote beside articles: pages, and texts on tags and authors. */
  readonly folders: readonly string[];
}

/** Who is told of a change. */
export interface SourceListeners {
  /** A template, a partial, a style sheet or a text of the owner's that is no article came, changed or went. */
  onTheme(): void;
  /** The config or `.env` did. */
  onConfig(): void;
}

/**
 * Watches templates and settings, which need not be there yet.
 *
 * @returns what ends the watching.
 */
export function watchSources(
  { dir, folders }: Sources,
  { onTheme, onConfig }: SourceListeners,
  log: Log,
): () => Promise<void> {
  const settings = [...CONFIG_NAMES, '.env'];
  const sources = [dir, ...folders, ...settings.map((name) => `${dir}/${name}`)];
  // The folder, and not each config in it: a watched file that is removed is not noticed when it comes again.
  const watcher = watch([...folders, dir], {
    ignoreInitial: true,
    // What editors keep beside a file, and in a folder that is more than templates what is none of ours.
    ignored: (path) =>
      /[\\/](?:\.(?!env$)|node_modules)/.test(path.slice(dir.length)) ||
      !(sources.includes(path) || folders.some((folder) => path.startsWith(`${folder}/`))),
  });
  let due = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;

  watcher.on('all', (_event, path) => {
    due.add(settings.includes(basename(path)) && path === `${dir}/${basename(path)}` ? onConfig : onTheme);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const now = due;
      due = new Set();
      for (const listener of now) listener();
    }, SETTLE_MS);
  });
  watcher.on('error', (error) =>
    log.warn({ reason: messageOf(error) }, 'templates and config are not watched; restart after a change'),
  );
  return () => {
    clearTimeout(timer);
    return watcher.close();
  };
}
