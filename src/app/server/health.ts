import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../errors.js';
import type { ContentFolder } from '../../store/catalog/content-folder.js';
import type { Answer } from '../../webhook/receive.js';

/** How long the result of a probe is reused, in milliseconds, so that frequent health checks cost nothing. */
const PROBE_MS = 1_000;

/**
 * How long a refused delivery counts as trouble, unless another one is stored, in milliseconds. It must end by itself: a load
 * balancer may send nothing to a receiver in trouble, so no delivery would ever show that the disk works again.
 */
const REFUSED_MS = 60_000;

/** The parts of an answer that show trouble. */
type CountedAnswer = Pick<Answer, 'body' | 'outcome'> & Partial<Pick<Answer, 'event'>>;

/** Whether articles can be stored; see `createHealth`. */
export interface Health {
  /** The reason why articles cannot be stored now; undefined if they can. */
  trouble(): string | undefined;
  /** Counts the answer to a delivery, and returns it. */
  noteAnswer<A extends CountedAnswer>(answer: A): A;
}

/**
 * Creates the check of whether articles can be stored. It writes and removes a small file in the state folder, because
 * permissions do not show that a disk is full or read-only. In the content folder, where generators, git and watchers look, it
 * only checks permissions and free space. Other causes, such as a quota, are known once a delivery fails.
 */
export function createHealth(
  content: Pick<ContentFolder, 'root' | 'layout'>,
  stateDir: string,
  now: () => number = () => performance.now(),
): Health {
  // Not the process id: two containers that share the volume both have process 1.
  const probePath = join(stateDir, `health-${randomUUID()}`);
  let probed: string | undefined;
  let probedUntil = Number.NEGATIVE_INFINITY;
  let refusal: string | undefined;
  let refusalUntil = 0;

  function trouble(): string | undefined {
    if (now() >= probedUntil) {
      probed = probe(content, probePath);
      probedUntil = now() + PROBE_MS;
    }
    if (now() >= refusalUntil) refusal = undefined;
    return probed ?? refusal;
  }

  function noteAnswer<A extends CountedAnswer>(answer: A): A {
    if (answer.outcome === 'stored') refusal = undefined;
    if (answer.outcome === 'STORE_FAILED' && answer.event !== 'article.lookup') {
      const { error } = JSON.parse(answer.body) as { readonly error: string };
      refusal = `the last delivery was refused: ${error}`;
      refusalUntil = now() + REFUSED_MS;
    }
    return answer;
  }

  return { trouble, noteAnswer };
}

function probe(content: Pick<ContentFolder, 'root' | 'layout'>, probePath: string): string | undefined {
  try {
    const folder = folderOfNext(content);
    fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK);
    fs.mkdirSync(dirname(probePath), { recursive: true });
    fs.writeFileSync(probePath, 'ok\n');
    fs.unlinkSync(probePath);
    return isFull(folder)
      ? 'articles cannot be stored: no space is left on the volume of the content folder'
      : undefined;
  } catch (error) {
    return `articles cannot be stored: ${messageOf(error).split(',', 1)[0]}`;
  }
}

/** The folder for an article published now, or its nearest existing parent. */
function folderOfNext({ root, layout }: Pick<ContentFolder, 'root' | 'layout'>): string {
  let folder = dirname(join(root, layout.path('.pressmark', new Date().toISOString())));
  while (folder !== root && !fs.existsSync(folder)) folder = dirname(folder);
  return folder;
}

/** File systems without a limit report 0 of 0. */
function isFull(folder: string): boolean {
  const { blocks, bfree, bavail, files, ffree } = fs.statfsSync(folder);
  const free = process.getuid?.() === 0 ? bfree : bavail;
  return (blocks > 0 && free === 0) || (files > 0 && ffree === 0);
}
