import { join } from 'node:path';
import type { JobState } from './job.js';
import { JOBS } from './jobs.js';
import { NOTED, readNotes, subjectOf } from './notes.js';

/** What a job has not done yet. */
export interface OpenJob {
  /** `<plugin>.<job>` */
  readonly job: string;
  /** That of the event, for `runAgain`. */
  readonly key: string;
  /** The action; `cron` for a time that has come. */
  readonly event: string;
  /** The id of the article, or the target of the deploy, where there is one. */
  readonly id: string | undefined;
  /** When the event was noted, ISO 8601. */
  readonly at: string;
  readonly state: JobState;
}

/** Reads what the jobs of plugins have not done yet, oldest first; without a receiver. */
export function readOpenJobs(stateDir: string): OpenJob[] {
  return readNotes(join(stateDir, JOBS, NOTED)).flatMap(({ events }) =>
    events
      .filter(({ again }) => again === undefined)
      .flatMap(({ name, key, at, payload, jobs }) =>
        Object.entries(jobs).map(([job, state]) => ({
          job,
          key,
          event: name,
          id: subjectOf(payload),
          at,
          state,
        })),
      ),
  );
}
