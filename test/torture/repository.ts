import fs from 'node:fs';
import { join } from 'node:path';
import { gitIn } from '../support/clones.js';

/** A new repository with a site's settings, committed. */
export function makeRepository(dir: string, settings: Record<string, unknown>): void {
  fs.mkdirSync(dir, { recursive: true });
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(settings));
  fs.writeFileSync(join(dir, '.gitignore'), '.pressmark/\npublic/\n');
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'First');
}

/** A commit of Pressmark's, by its trailers. */
export interface OwnCommit {
  readonly commit: string;
  /** Such as `Publish`. */
  readonly kind: string;
  readonly article: string;
  readonly revision: string;
}

/** Pressmark's commits of a branch, oldest first. */
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

/** The elements that a list has more than once. */
export function doubled<T>(list: readonly T[]): T[] {
  return [...new Set(list.filter((one, index) => list.indexOf(one) < index))];
}

/** Lock files that lie in a repository. */
export function locksIn(dir: string): string[] {
  return fs
    .readdirSync(join(dir, '.git'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.lock'));
}
