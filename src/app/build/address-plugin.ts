import type { Settings } from '../../config/load.js';
import { createBuildQueue } from '../../deploy/build/build-queue.js';
import { messageOf } from '../../errors.js';
import { definePlugin, type Plugin } from '../../host/plugin.js';
import { existingAddresses } from './addresses.js';

/**
 * Asks the generator of a site that is built elsewhere for the addresses of existing posts: at the start, and after each
 * change that a person makes. Where the receiver builds the site, each good build is followed by this.
 */
export function addressPlugin(settings: Settings): Plugin {
  return definePlugin({
    name: 'addresses',
    receiver(host) {
      const { log } = host;
      const ended = new AbortController();

      async function list(): Promise<'done'> {
        try {
          const { listed, unlisted, asked, contradiction } = await existingAddresses(settings, {
            signal: ended.signal,
          });
          if (asked)
            log.info({ listed: listed.size, unlisted: unlisted.size }, 'addresses of existing posts listed');
          if (contradiction !== undefined) log.warn(contradiction);
        } catch (error) {
          if (!ended.signal.aborted) log.warn(`${messageOf(error)}; pressmark urls asks again`);
        }
        return 'done';
      }

      const queue = createBuildQueue(list);
      for (const event of ['host.ready', 'article.created', 'article.edited', 'article.removed'] as const)
        host.addAction(event, queue.request);
      host.onClose(async () => {
        ended.abort();
        await queue.stop();
      });
    },
  });
}
