import { createBuildQueue } from '../../deploy/build/build-queue.js';
import { definePlugin, type Plugin } from '../../host/plugin.js';
import { type BuildProcess, createBuildProcess } from './start-build-process.js';

/**
 * Asks the generator for the addresses of existing posts, at the start and after each change by a person, if the site is built
 * elsewhere. A separate process does it, because it may read all articles and pages. If the receiver builds the site, each good
 * build does this instead.
 *
 * @param dir the site's folder.
 */
export function addressPlugin(dir: string, env: NodeJS.Dict<string>): Plugin {
  return definePlugin({
    name: 'addresses',
    receiver(host) {
      const { log } = host;
      let running: BuildProcess | undefined;
      let isClosing = false;

      async function list(): Promise<'done'> {
        if (isClosing) return 'done';
        running = createBuildProcess(dir, env);
        const answer = await running.addresses();
        await running.close();
        if (answer.kind === 'error' && !isClosing) log.warn(`${answer.reason}; pressmark urls asks again`);
        if (answer.kind === 'error') return 'done';
        const { asked, listed, unlisted, contradiction } = answer;
        if (asked) log.info({ listed, unlisted }, 'addresses of existing posts listed');
        if (contradiction !== undefined) log.warn(contradiction);
        return 'done';
      }

      const queue = createBuildQueue(list, log);
      for (const event of ['host.ready', 'article.created', 'article.edited', 'article.removed'] as const)
        host.addAction(event, queue.request);
      host.onClose(async () => {
        isClosing = true;
        await running?.close();
        await queue.stop();
      });
    },
  });
}
