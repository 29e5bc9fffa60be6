import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import { findLockHelper } from '../../../src/fs/lock-helper.js';
import { openRepository } from '../../../src/git/cli/repository.js';
import type { CommitRequest } from '../../../src/git/commit/commit-request.js';
import { readHead } from '../../../src/git/commit/head.js';
import { createIndexLocker } from '../../../src/git/commit/index-lock.js';
import { park } from '../../../src/git/commit/parked.js';
import { commitBatch } from '../../../src/git/commit/transaction.js';
import { createLastCommitted } from '../../../src/git/pending/last-committed.js';
import { createReplacedTexts } from '../../../src/git/pending/replaced-texts.js';
import { createRequests } from '../../../src/git/pending/requests.js';
import { createSavedTexts } from '../../../src/git/pending/saved-texts.js';
import { type Waiting, waitingText } from '../../../src/git/pending/waiting.js';
import { makeSite, readStored, storedIn } from './site.js';

/** A repository, and what commits one text after the other at one path of it, as one process. */
export async function startCommitting(t: ExecutionContext, path: string) {
  const site = await makeSite(t);
  const { signal } = new AbortController();
  const repository = await openRepository(site.dir, { PATH: process.env.PATH }, { signal });
  if ('because' in repository) throw new Error(repository.because);
  const log = pino({ level: 'silent' });
  const locker = createIndexLocker(repository, findLockHelper(), log);
  t.teardown(() => locker.close());
  const lastCommitted = createLastCommitted();
  const context = { repository, locker, log, signal, commitEdits: true, lastCommitted, decode: storedIn };
  const identity = ['-c', 'user.name=Olga', '-c', 'user.email=olga@example.org'];

  const state = join(site.top, '..', 'state');
  const saved = createSavedTexts(state, join(site.top, '..', 'staging'), log);
  const waiting: string[] = [];
  const requests = createRequests({
    host: { log, applyFilters: async (_, text) => text, doAction: async () => undefined },
    context,
    template: undefined,
    skipCi: false,
    commitEdits: true,
    behind: undefined,
    replaced: createReplacedTexts({ repository, saved, commitEdits: true, decode: storedIn, log }),
    readStored: (wanted) => readStored(site.dir, wanted),
    later: (wanted) => waiting.push(wanted),
  });

  return {
    site,
    takeIndex: () => locker.take(signal),
    tip: async () => (await site.git('rev-parse', 'HEAD')).trim(),
    /** Whether the text got a commit. @param before where HEAD was when it came. */
    async commit(request: Omit<CommitRequest, 'path' | 'before'>, before: string): Promise<boolean> {
      const head = await readHead(repository);
      if ('waitingFor' in head) throw new Error(head.waitingFor);
      const result = await commitBatch([{ path, before, ...request }], head, context);
      return 'commits' in result && result.commits[0] !== undefined;
    },
    /** Keeps texts for later, while HEAD is at `tip`. */
    park: (texts: readonly Omit<CommitRequest, 'path' | 'before'>[], tip: string) =>
      park(
        texts.map((text) => ({ path, before: tip, ...text })),
        { waitingFor: 'a rebase', tip },
        context,
      ),
    /** The subjects of what is parked, oldest first. */
    parked: async () =>
      (await site.git('log', '--reverse', '--format=%s', repository.parkedRef)).trim().split('\n'),
    /** Keeps what the file holds, for an update of this process, and has its commit wait. */
    async keep(): Promise<Waiting> {
      const bytes = await readFile(join(site.dir, path));
      const before = (await site.git('rev-parse', 'HEAD')).trim();
      return waitingText(path, await saved.keep({ path, before, bytes }));
    },
    /** What is to be committed of changes. */
    take: async (...changes: Waiting[]) => (await requests.take(changes)).map(({ request }) => request),
    /** The files whose edits shall wait. */
    waiting,
    /** Commits a text as the owner would. */
    async ownersCommit(text: string, subject: string): Promise<void> {
      await site.write(path, text);
      await site.git('add', path);
      await site.git(...identity, 'commit', '-q', '-m', subject);
    },
  };
}
