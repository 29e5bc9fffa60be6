import fs from 'node:fs';
import { join } from 'node:path';
import { PUSH_STATUS } from '../../../../src/app/git-settings.js';
import { messageOf } from '../../../../src/errors.js';
import { type PushStatus, readPushStatus } from '../../../../src/git/push/push-status.js';
import { type Clones, committedIds, gitIn, inClone, makeRemote, settings } from '../../../support/clones.js';
import { article } from '../../../support/events.js';
import { healthDetails } from '../../../support/receiver.js';
import { type ReceiverHere, startHere } from '../../../support/receiver-here.js';
import type { Teardown } from '../../../support/teardown.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

export interface PushingSite {
  readonly clones: Clones;
  readonly dir: string;
  readonly receiver: ReceiverHere;
}

/** A clone whose receiver answers from the disk and pushes in the background. */
export async function makePushingSite(
  t: Teardown,
  { push = {} }: { push?: Record<string, unknown> } = {},
): Promise<PushingSite> {
  const clones = makeRemote(tempDir(t));
  const dir = clones.clone('site');
  configure(dir, { push: { debounce: 100, ...push } });
  gitIn(dir, 'update-index', '--assume-unchanged', 'pressmark.config.json');
  return { clones, dir, receiver: await startHere(t, inClone(dir)) };
}

export function configure(
  dir: string,
  git: Record<string, unknown>,
  more: Record<string, unknown> = {},
): void {
  const config = settings({ durability: 'disk', git, ...more });
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(config));
}

export async function statusOf({ origin }: Pick<ReceiverHere, 'origin'>): Promise<PushStatus> {
  return ((await healthDetails(origin)) as { push: PushStatus }).push;
}

/** Waits until the receiver has noted a state of its pushes for `status` and `doctor`; it does so once a second. */
export function untilNoted(
  dir: string,
  expected: string,
  holds: (noted: PushStatus) => boolean,
): Promise<void> {
  return until(`it is noted that ${expected}`, () => {
    const noted = readPushStatus(join(dir, '.pressmark', PUSH_STATUS));
    return noted !== undefined && holds(noted);
  });
}

/** Publishes an article; returns its id. */
export async function publish({ post }: Pick<ReceiverHere, 'post'>): Promise<string> {
  const data = article();
  const { status } = await post('article.published', data);
  if (status !== 200) throw new Error(`publish: ${status}`);
  return data.id;
}

/** The ids of the articles in the commits of the remote. */
export function idsOnRemote({ clones }: Pick<PushingSite, 'clones'>): string[] {
  return committedIds(clones.remote);
}

/** Does what git may refuse for a moment: Pressmark has the index, or another machine was first. */
export async function eventually(expected: string, work: () => unknown): Promise<void> {
  let last: unknown;
  try {
    await until(expected, () => {
      try {
        work();
        return true;
      } catch (error) {
        last = error;
        return false;
      }
    });
  } catch (error) {
    throw new Error(`${messageOf(error)}; the last attempt: ${messageOf(last)}`, { cause: last });
  }
}
