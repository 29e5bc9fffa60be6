import fs from 'node:fs';
import { join } from 'node:path';
import { gitIn } from '../support/clones.js';
import { articleFiles, readStored } from '../support/content.js';
import { expectNone } from './expect.js';

/** A commit that Pressmark made. */
export interface OwnCommit {
  readonly commit: string;
  /** Such as `Publish`. */
  readonly kind: string;
  readonly article: string;
  readonly revision: string;
}

/**
 * Pressmark's commits, oldest first; they are recognized by their trailers.
 *
 * @param revisions arguments of `git log`, such as `--all`. @default HEAD
 */
export function ownCommits(dir: string, ...revisions: string[]): OwnCommit[] {
  const trailer = (key: string) => `%(trailers:key=${key},valueonly,separator=%x2C)`;
  const format = `%H%x00%s%x00${trailer('Article-Id')}%x00${trailer('Revision-Id')}`;
  return gitIn(dir, 'log', '--reverse', `--format=${format}`, ...revisions)
    .split('\n')
    .flatMap((line) => {
      const [commit = '', subject = '', article = '', revision = ''] = line.split('\0');
      return revision === '' ? [] : [{ commit, kind: subject.replace(/:.*/s, ''), article, revision }];
    });
}

/** The elements that occur more than once in a list. */
export function doubled<T>(list: readonly T[]): T[] {
  return [...new Set(list.filter((element, index) => list.indexOf(element) < index))];
}

/** The lock files in a repository, such as `index.lock`. */
export function locksIn(dir: string): string[] {
  return fs
    .readdirSync(join(dir, '.git'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.lock'));
}

/** Requires that each article of a site is stored once, in a file that is complete. @returns what the files have. */
export function requireWholeFiles(dir: string): ReturnType<typeof readStored>[] {
  const files = articleFiles(dir).map((path) => readStored(path));
  expectNone(doubled(files.map(({ article: { id } }) => id)), 'each article should be stored once');
  expectNone(
    files.filter(({ edited, bodyEdited }) => edited || bodyEdited).map(({ article: { id } }) => id),
    'each file should be complete, with a digest that matches',
  );
  return files;
}
