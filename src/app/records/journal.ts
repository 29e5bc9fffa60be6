import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import { type KeptLines, keepLines } from '../../fs/kept-lines.js';
import type { BuildRecord, DeployRecord } from '../../host/admin/site-services.js';
import type { ReceiverHost } from '../../host/plugin.js';
import { type Log, withoutHidden } from '../../log.js';

/** A step that happened after a delivery. */
export type JournalEntry =
  | ({ readonly kind: 'build' } & BuildRecord)
  | ({ readonly kind: 'deploy' } & DeployRecord)
  | {
      readonly kind: 'commit';
      readonly at: string;
      readonly path: string;
      readonly commit: string;
      readonly subject: string;
    }
  | { readonly kind: 'live'; readonly at: string; readonly path: string };

/** How many entries of each kind are kept. */
const KEPT: Readonly<Record<JournalEntry['kind'], number>> = {
  build: 200,
  deploy: 200,
  commit: 1_000,
  live: 1_000,
};

/** The longest output of a build, and the longest error, in characters. */
const LONGEST_TEXT = 4_000;

/** Opens the journal: the last builds, deploys, commits and live pages, kept on the disk for people. */
export function openJournal(stateDir: string, log: Log): KeptLines<JournalEntry> {
  return keepLines<JournalEntry>({
    path: join(stateDir, 'journal.jsonl'),
    keep: newestOfEachKind,
    isLine: (value): value is JournalEntry =>
      typeof value === 'object' &&
      value !== null &&
      'kind' in value &&
      typeof value.kind === 'string' &&
      value.kind in KEPT &&
      'at' in value,
    onFailure: (error) => log.debug({ reason: messageOf(error) }, 'the journal cannot be written'),
    longest: 2_000_000,
  });
}

/** The entries of a kind, in order. */
export function ofKind<Kind extends JournalEntry['kind']>(entries: readonly JournalEntry[], kind: Kind) {
  type OfKind = Extract<JournalEntry, { readonly kind: Kind }>;
  return entries.filter((entry): entry is OfKind => entry.kind === kind);
}

/** Limits the entries of each kind, so that the commits of a burst do not push out the builds. */
export function newestOfEachKind(entries: readonly JournalEntry[]): JournalEntry[] {
  const count = { build: 0, deploy: 0, commit: 0, live: 0 };
  return entries
    .toReversed()
    .filter(({ kind }) => ++count[kind] <= KEPT[kind])
    .reverse();
}

/** Notes each step from now on. @param by who builds the site here. */
export function keepJournal(
  { addAction }: Pick<ReceiverHost, 'addAction'>,
  { note }: Pick<KeptLines<JournalEntry>, 'note'>,
  by: BuildRecord['by'],
): void {
  /** Whether a build was requested; then it is noted even if it changes nothing. */
  let isAsked = false;
  const at = () => new Date().toISOString();
  const noteBuild = (build: Omit<BuildRecord, 'at' | 'by' | 'output'>, output: string) => {
    const isWorthALine = build.written + build.removed > 0 || build.outcome !== 'built' || isAsked;
    if (isWorthALine)
      note({ kind: 'build', at: at(), by, ...build, output: withoutHidden(output).slice(-LONGEST_TEXT) });
    isAsked = false;
  };
  addAction('build.requested', () => {
    isAsked = true;
  });
  addAction('site.built', ({ ms, written, removed, failed, failures }) => {
    const outcome = failed === 0 ? 'built' : 'partly';
    const lines = failures.map(({ page, reason }) => `${page}: ${reason}`);
    noteBuild({ ms, outcome, written, removed }, lines.join('\n'));
  });
  addAction('build.done', ({ ms, written, removed, output = '' }) =>
    noteBuild({ ms, outcome: 'built', written: written.length, removed: removed.length }, output),
  );
  addAction('build.failed', ({ ms, reason }) =>
    noteBuild({ ms, outcome: 'failed', written: 0, removed: 0 }, reason),
  );
  addAction('deploy.done', ({ target, ms, output = '' }) => {
    const end = withoutHidden(output).slice(-LONGEST_TEXT);
    note({ kind: 'deploy', at: at(), target, ms, error: null, output: end });
  });
  addAction('deploy.failed', ({ target, ms, error }) => {
    const reason = withoutHidden(error).slice(0, LONGEST_TEXT);
    note({ kind: 'deploy', at: at(), target, ms, error: reason, output: '' });
  });
  addAction('git.committed', ({ path, commit, subject }) =>
    note({ kind: 'commit', at: at(), path, commit, subject: withoutHidden(subject).slice(0, 500) }),
  );
  addAction('article.live', ({ path }) => note({ kind: 'live', at: at(), path }));
}
