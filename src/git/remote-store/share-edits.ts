import { messageOf } from '../../errors.js';
import type { PluginHost } from '../../host/plugins.js';
import type { SharedEdit } from '../../store/shared/shared-files.js';
import { within } from '../../time-limit.js';
import { createEditDelay } from '../pending/edit-delay.js';
import { backoff } from '../pending/pacing.js';
import type { UnsharedEdit } from '../push/push-status.js';

export interface ShareEditsOptions {
  /**
   * Pushes a person's edit, if the file holds one.
   *
   * @param path below the content folder.
   * @throws PressmarkError REMOTE_UNAVAILABLE, REMOTE_DECLINED; the file is as it was.
   */
  share(path: string): Promise<SharedEdit>;
  /** The files that may hold edits which were made while no receiver ran, below the content folder. */
  editedFiles(): Promise<readonly string[]>;
  /** Finds the stale files that a person has brought to the remote's version, so that the next edit counts as made from it. */
  settleStale(): Promise<void>;
  /** A path below the site's folder, as seen from the content folder; undefined where it is not in it. */
  contentRelative(path: string): string | undefined;
  /** Receives the edits that are in this clone alone, and why. */
  setUnsharedEdits(edits: readonly UnsharedEdit[]): void;
}

/** The pauses before a file is examined again, in milliseconds: the first and the longest. */
const AGAIN_MS = { first: 3_000, longest: 60_000 };
/** How many edits are shared at a time: a person who edits a thousand files at once must not keep deliveries waiting. */
const AT_ONCE = 8;
/** How long the shutdown waits for edits, in milliseconds. */
const CLOSE_MS = 5_000;

/** With durability `push`: pushes each edit of a person some time after the file was last changed. */
export function shareEdits(
  host: Pick<PluginHost, 'log' | 'addAction' | 'onClose'>,
  { share, editedFiles, settleStale, contentRelative, setUnsharedEdits }: ShareEditsOptions,
): void {
  const { log } = host;
  const attempts = new Map<string, number>();
  const unsharedEdits = new Map<string, string>();
  const ready = new Set<string>();
  const underWay = new Set<Promise<void>>();
  let isClosing = false;
  const edits = createEditDelay((path) => {
    ready.add(path);
    start();
  });

  function start(): void {
    for (const path of ready) {
      if (underWay.size === AT_ONCE) return;
      ready.delete(path);
      const attempt = attemptToShare(path).finally(() => {
        underWay.delete(attempt);
        start();
      });
      underWay.add(attempt);
    }
  }

  async function idle(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay);
  }

  async function attemptToShare(path: string): Promise<void> {
    try {
      const edit = await share(path);
      if (edit.kind === 'waiting') return tryAgain(path, `it waits for ${edit.waitingFor}`);
      // A commit and a push of the edit change no file: only another look finds them.
      if (edit.kind === 'refused') return reportUnshared(path, edit.why);
      attempts.delete(path);
      if (unsharedEdits.delete(path)) report();
      if (edit.kind === 'shared') log.info({ path }, 'an edit is on the remote');
    } catch (error) {
      reportUnshared(path, messageOf(error));
    }
  }

  function reportUnshared(path: string, why: string): void {
    if (unsharedEdits.get(path) !== why) {
      unsharedEdits.set(path, why);
      log.warn({ path, why }, 'your edit is in this clone alone');
      report();
    }
    tryAgain(path, why);
  }

  function report(): void {
    setUnsharedEdits([...unsharedEdits].map(([path, why]) => ({ path, why })));
  }

  function tryAgain(path: string, why: string): void {
    const count = (attempts.get(path) ?? 0) + 1;
    attempts.set(path, count);
    log.debug({ path, why }, 'an edit is examined again later');
    if (!isClosing) edits.add(path, backoff(count, AGAIN_MS));
  }

  host.addAction('article.edited', async ({ path }) => {
    const below = contentRelative(path);
    if (below === undefined) return;
    edits.add(below);
    await settleStale();
  });
  host.addAction('host.ready', async () => {
    for (const path of await editedFiles()) edits.add(path);
  });
  host.onClose(async () => {
    isClosing = true;
    edits.flush();
    await within(CLOSE_MS, idle(), () => undefined);
  });
}
