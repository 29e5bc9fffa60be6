import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../errors.js';
import type { PluginHost } from '../../host/plugins.js';
import { createEdits } from '../pending/edit-delay.js';
import type { LeftEdit } from '../push/push-status.js';
import type { WorkEdit } from './worktree-edits.js';

/** What became of a file that was looked at: `shared` where a person's edit is on the remote now. */
export type SharedEdit = { readonly is: 'shared' } | Exclude<WorkEdit, { readonly is: 'edit' }>;

export interface ShareEditsOptions {
  /**
   * Brings a person's edit to the remote, if the file holds one.
   *
   * @param path below the content folder.
   * @throws PressmarkError REMOTE_UNAVAILABLE, REMOTE_DECLINED; the file is as it was.
   */
  share(path: string): Promise<SharedEdit>;
  /** The files that may hold edits which were made while nothing ran, below the content folder. */
  editedFiles(): Promise<readonly string[]>;
  /** Finds out where a person has taken over what the remote has, before they go on from there. */
  lookForCaughtUp(): Promise<void>;
  /** A path below the site's folder, as seen from the content folder; undefined where it is not in it. */
  contentRelative(path: string): string | undefined;
  /** Told which edits stay in this clone, and why. */
  tellLeft(edits: readonly LeftEdit[]): void;
}

/** The pauses before a file is looked at again, in milliseconds: the first and the longest. */
const AGAIN_MS = { first: 3_000, longest: 60_000 };
/** So many edits are looked at at a time: who edits a thousand files at once must not keep deliveries waiting. */
const AT_ONCE = 8;
/** How long the shutdown waits for edits, in milliseconds. */
const CLOSE_MS = 5_000;

/** With durability `push`: has each edit of a person pushed, once its file has lain still for a while. */
export function shareEdits(
  host: Pick<PluginHost, 'log' | 'addAction' | 'onClose'>,
  { share, editedFiles, lookForCaughtUp, contentRelative, tellLeft }: ShareEditsOptions,
): void {
  const { log } = host;
  const tries = new Map<string, number>();
  const told = new Map<string, string>();
  const underWay = new Set<Promise<void>>();
  let closing = false;
  const ready = new Set<string>();
  const edits = createEdits((path) => {
    ready.add(path);
    start();
  });

  function start(): void {
    for (const path of ready) {
      if (underWay.size === AT_ONCE) return;
      ready.delete(path);
      const attempt = tryToShare(path).finally(() => {
        underWay.delete(attempt);
        start();
      });
      underWay.add(attempt);
    }
  }

  async function idle(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay);
  }

  async function tryToShare(path: string): Promise<void> {
    try {
      const edit = await share(path);
      if (edit.is === 'waiting') return later(path, `it waits for ${edit.waitingFor}`);
      if (edit.is === 'left') {
        tell(path, edit.why);
        // a commit and a push of it change no file
        return later(path, edit.why);
      }
      tries.delete(path);
      if (told.delete(path)) tellAll();
      if (edit.is === 'shared') log.info({ path }, 'an edit is on the remote');
    } catch (error) {
      tell(path, messageOf(error));
      later(path, messageOf(error));
    }
  }

  function tell(path: string, why: string): void {
    if (told.get(path) === why) return;
    told.set(path, why);
    log.warn({ path, why }, 'your edit is in this clone alone');
    tellAll();
  }

  function tellAll(): void {
    tellLeft([...told].map(([path, why]) => ({ path, why })));
  }

  function later(path: string, why: string): void {
    const times = (tries.get(path) ?? 0) + 1;
    tries.set(path, times);
    log.debug({ path, why }, 'an edit is looked at again later');
    const wait = Math.min(AGAIN_MS.first * 2 ** Math.min(times - 1, 10), AGAIN_MS.longest);
    if (!closing) edits.note(path, wait);
  }

  host.addAction('article.edited', async ({ path }) => {
    const below = contentRelative(path);
    if (below === undefined) return;
    edits.note(below);
    await lookForCaughtUp();
  });
  host.addAction('host.ready', async () => {
    for (const path of await editedFiles()) edits.note(path);
  });
  host.onClose(async () => {
    closing = true;
    edits.flush();
    const timer = new AbortController();
    await Promise.race([idle(), pause(CLOSE_MS, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
  });
}
