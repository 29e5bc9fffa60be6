import type { Settings } from '../config/load.js';
import type { Log } from '../log.js';
import { refuseForeignOutput } from '../site/builder/ownership.js';
import type { AdapterLimits } from '../webhook/http/adapter.js';
import { forgetOldAddresses } from './build/addresses/addresses.js';
import { themeFolder } from './builder/theme.js';
import { basePathOf, foldersOf } from './content/folders.js';
import { refuseUnknownAddress } from './site-address.js';
import { openPlugins } from './start/open-plugins.js';
import { openServer } from './start/open-server.js';
import { openStore } from './start/open-store.js';

// For the commands, which may not import from host.
export { type Guard, guardAgainstPlugins } from '../host/guard.js';

/** A running receiver. */
export interface App {
  /** The port that the receiver listens on. */
  readonly port: number;
  /** The site's base path; `''` for the root. */
  readonly basePath: string;
  /** Stops accepting, finishes requests in flight, flushes plugins and closes everything. */
  close(): Promise<void>;
}

export interface StartOptions {
  /** Whether the log goes to a terminal. The builder's thread writes its own log, and needs to know. @default false */
  readonly terminal?: boolean;
  /** Whether the site has no address yet, so that articles get this machine's. @default false */
  readonly preview?: boolean;
  /**
   * Whether browsers on this machine reload a page when the site has changed. Only for a person's own machine, where no proxy
   * forwards other people's requests. @default false
   */
  readonly live?: boolean;
  /** How long the functions of adapters may take. @default 5 s for `verify`, 25 s for the others */
  readonly adapterLimits?: AdapterLimits;
}

/**
 * Starts the receiver of one site: recover, load plugins, listen.
 *
 * @throws PressmarkError CONFIG_INVALID, LOCK_HELPER_MISSING, PLUGIN_INVALID, PORT_UNAVAILABLE, …; nothing is left running then.
 */
export async function startApp(
  settings: Settings,
  log: Log,
  { terminal = false, preview = false, live = false, adapterLimits }: StartOptions = {},
): Promise<App> {
  refuseUnknownAddress(settings, { preview });
  themeFolder(settings); // reports a wrong theme now, and not in each build
  if (settings.site !== false) refuseForeignOutput(foldersOf(settings), settings.output);
  forgetOldAddresses(settings);
  const closers: (() => unknown)[] = [];
  const onClose = (close: () => unknown) => void closers.push(close);
  const starting = { settings, log, terminal, preview, live, adapterLimits, onClose };
  try {
    // The store: recovers the files and watches them.
    const store = await openStore(starting);
    // The plugins: the site's own, and those that come with Pressmark.
    const plugins = await openPlugins(starting, store);
    // The server: from here on, deliveries arrive.
    const port = await openServer(starting, store, plugins);
    const { articles, trouble } = store.durable;
    store.jobs.start({ ...articles, ...(trouble && { trouble }) });
    void store.hooks.doAction('host.ready', { url: `http://localhost:${port}` });
    return { port, basePath: basePathOf(settings), close: () => closeAll(closers) };
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

/** Closes everything in reverse order. If one part cannot be closed, the others still are. */
async function closeAll(closers: (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse())
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}
