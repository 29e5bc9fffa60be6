import type { Settings } from '../../config/load.js';
import { frameBase } from '../../host/admin/framed-page.js';
import type { PreviewPage, PreviewService } from '../../host/admin/preview-service.js';
import { definePlugin, type Plugin } from '../../host/plugin.js';
import { type BuildProcess, createBuildProcess } from './start-build-process.js';

/** The highest number of previews that wait or are being built. */
const MOST_WAITING = 3;

/** Builds previews with the site's own generator: one after the other, each in a process of low priority. */
export function previewPlugin({ dir, environment }: Settings): Plugin {
  return definePlugin({
    name: 'preview',
    receiver(host) {
      let last: Promise<unknown> = Promise.resolve();
      let waiting = 0;
      let running: BuildProcess | undefined;
      let isClosing = false;

      const page: PreviewService['page'] = async (draft, origin) => {
        if (waiting >= MOST_WAITING)
          return { kind: 'failed', reason: `${waiting} previews are being built; try again in a minute` };
        waiting++;
        const turn = last.then(async (): Promise<PreviewPage> => {
          if (isClosing) return { kind: 'failed', reason: 'the receiver stops' };
          running = createBuildProcess(dir, environment);
          const answer = await running.preview(draft, frameBase(draft.url, origin));
          await running.close();
          return answer.kind === 'error' ? { kind: 'failed', reason: answer.reason } : answer;
        });
        last = turn.catch(() => undefined); // a preview that fails must not make the next one fail
        return await turn.finally(() => waiting--);
      };

      host.provide('preview', { page });
      host.onClose(async () => {
        isClosing = true;
        await running?.close();
        await last;
      });
    },
  });
}
