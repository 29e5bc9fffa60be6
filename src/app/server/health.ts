import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../errors.js';
import type { ContentFolder } from '../../store/catalog/content-folder.js';
import type { Answer } from '../../webhook/receive.js';

/** A verdict stands this long, so that a monitor that asks often costs nothing. */
const VERDICT_MS = 1_000;

/**
 * A refused delivery counts for so long if nothing is stored meanwhile: behind a load balancer that sends no deliveries
 * to a receiver that reports trouble, none would ever show that the disk works again.
 */
const REFUSED_MS = 60_000;

/** What counts of an answer. */
type CountedAnswer = Pick<Answer, 'body' | 'outcome'> & Partial<Pick<Answer, 'event'>>;

/** Whether articles can be stored; see `createHealth`. */
export interface Health {
  /** The reason why articles cannot be stored now; undefined if they can. */
  trouble(): string | undefined;
  /** Counts the answer to a delivery, and returns it. */
  noteAnswer<A extends CountedAnswer>(answer: A): A;
}

/**
 * Whether articles can be stored. A small file is really written and removed in the state folder, as permissions alone do
 * not show that a disk is full or read-only. Where articles go nothing is written: generators, git and watchers look
 * there. That folder is asked whether it may be written, and its volume whether it has room. What neither shows (a quota,
 * the folder of another month) is known when a delivery fails.
 */
export function createHealth(
  content: Pick<ContentFolder, 'root' | 'layout'>,
  stateDir: string,
  now: () => number = () => performance.now(),
): Health {
  // Not by the process id: in two containers that share the volume both are process 1.
  const probePath = join(stateDir, `health-${randomUUID()}`);
  let verdict: string | undefined;
  let verdictUntil = Number.NEGATIVE_INFINITY;
  let refusal: string | undefined;
  let refusalUntil = 0;

  function trouble(): string | undefined {
    if (now() >= verdictUntil) {
      verdict = probe(content, probePath);
      verdictUntil = now() + VERDICT_MS;
    }
    if (now() >= refusalUntil) refusal = undefined;
    return verdict ?? refusal;
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

/** The folder that an article published now would go to, or the one above it that is there already. */
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
