import { readFile } from 'node:fs/promises';
import type { Settings } from '../../config/load.js';
import { framedStyles } from '../../deploy/preview/framed-page.js';
import type { PreviewFile, PreviewPage, PreviewService } from '../../host/admin/preview-service.js';
import { definePlugin, type Plugin } from '../../host/plugin.js';
import { openServed, servedPath } from '../server/served-file.js';
import { createBuildProcess } from './start-build-process.js';

/** Previews that wait for their turn or are being built. */
const MOST_WAITING = 3;

/** So long after the last preview its copy of the site goes, in milliseconds. */
const IDLE_MS = 600_000;

const LARGEST_FILE = 20_000_000;

/**
 * Previews of a site that its own generator builds: one after the other, by a process that leaves the processor to deliveries.
 */
export function previewPlugin({ dir, siteUrl, environment }: Settings): Plugin {
  return definePlugin({
    name: 'preview',
    receiver(host) {
      let builds = createBuildProcess(dir, environment);
      let last: Promise<unknown> = Promise.resolve();
      let waiting = 0;
      let idle: NodeJS.Timeout | undefined;

      const page: PreviewService['page'] = async (draft, files) => {
        if (waiting >= MOST_WAITING)
          return { kind: 'failed', reason: `${waiting} previews are being built; try again in a minute` };
        clearTimeout(idle);
        waiting++;
        const turn = last.then(() => builds.preview(draft, files));
        last = turn;
        const answer = await turn;
        waiting--;
        if (waiting === 0) idle = setTimeout(rest, IDLE_MS).unref();
        return answer.kind === 'error'
          ? ({ kind: 'failed', reason: answer.reason } satisfies PreviewPage)
          : answer;
      };

      function rest(): void {
        void builds.close();
        builds = createBuildProcess(dir, environment);
      }

      const file: PreviewService['file'] = async (folder, path, files): Promise<PreviewFile | undefined> => {
        const name = servedPath(path);
        const found = name === undefined ? undefined : await openServed(folder, name);
        if (name === undefined || found === undefined || found === 'folder') return undefined;
        try {
          if (found.stat.size > LARGEST_FILE) return undefined;
          const bytes = await readFile(found.handle);
          const isStyles = name.endsWith('.css');
          return {
            name,
            bytes: isStyles ? Buffer.from(framedStyles(bytes.toString(), { siteUrl, files })) : bytes,
          };
        } finally {
          await found.handle.close();
        }
      };

      host.provide('preview', { page, file });
      host.onClose(async () => {
        clearTimeout(idle);
        await builds.close();
      });
    },
  });
}
