import fs from 'node:fs';
import { join } from 'node:path';
import type { TestFn } from 'ava';
import { type Clones, commitAndPush, gitIn, launchIn, makeRemote, settings } from '../../support/clones.js';
import { article } from '../../support/events.js';
import type { Receiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

export interface Status {
  readonly lastPush: string | null;
  readonly waiting: number;
  readonly lastError: string | null;
  readonly waitingFor: string | null;
}

export interface PushingSite {
  readonly clones: Clones;
  readonly dir: string;
  readonly receiver: Receiver;
  status(): Promise<Status>;
  publish(): Promise<string>;
}

/** A test, or all tests of a file. */
export interface Lasting {
  teardown(dispose: () => unknown): void;
}

/** Disposes of what is shared by all tests of a file, after the last of them. */
export function lastingFor(test: TestFn): Lasting {
  const disposers: (() => unknown)[] = [];
  test.after.always(async () => {
    for (const dispose of disposers.reverse()) await dispose();
  });
  return { teardown: (dispose) => void disposers.push(dispose) };
}

/** A receiver that answers from the disk and pushes in the background. */
export async function makePushingSite(
  t: Lasting,
  {
    push = {},
    env = {},
    prepare = () => undefined,
  }: {
    push?: Record<string, unknown>;
    env?: NodeJS.Dict<string>;
    prepare?: (site: Pick<PushingSite, 'clones' | 'dir'>) => void;
  } = {},
): Promise<PushingSite> {
  const folder = tempDir(t);
  const clones = makeRemote(folder);
  const dir = clones.clone('site');
  const config = settings({ durability: 'disk', git: { push: { debounce: 100, ...push } } });
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(config));
  fs.appendFileSync(join(dir, '.git', 'info', 'exclude'), '.gitconfig\n');
  gitIn(dir, 'update-index', '--assume-unchanged', 'pressmark.config.json');
  prepare({ clones, dir });
  const receiver = await launchIn(dir, { env });
  t.teardown(() => receiver.kill('SIGKILL'));
  return {
    clones,
    dir,
    receiver,
    status: async () => {
      const answer = await fetch(`${receiver.origin}/healthz?verbose`);
      return ((await answer.json()) as { push: Status }).push;
    },
    publish: async () => {
      const data = article();
      const { status } = await receiver.post('article.published', data);
      if (status !== 200) throw new Error(`publish: ${status}`);
      return data.id;
    },
  };
}

export function idsOnRemote({ clones }: PushingSite): string[] {
  const format = '%(trailers:key=Article-Id,valueonly,separator=%x2C)';
  return clones
    .git('log', `--format=${format}`, 'main')
    .split('\n')
    .filter((line) => line !== '');
}

/** A person's commit, pushed from a clone of their own. */
export function personPushes({ clones }: Pick<PushingSite, 'clones'>, name: string, text: string): string {
  const own = join(clones.remote, '..', 'olga');
  if (!fs.existsSync(own)) clones.clone('olga');
  return commitAndPush(own, name, text);
}
