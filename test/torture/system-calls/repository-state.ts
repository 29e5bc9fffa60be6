import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { gitEnvironment } from '../../support/clones.js';
import type { CrashState, DiskNode, FileNode, FolderNode } from './crash-model.js';
import type { Sent } from './deliveries.js';
import type { Acknowledged } from './promises.js';

/** The linear history of a recording's branch, read with git after the recording. */
export interface History {
  /**
   * All objects, each commit followed by its new ones, so that the objects before a commit are all that its parent
   * needs.
   */
  readonly objects: readonly string[];
  readonly commits: ReadonlyMap<string, CommitInHistory>;
  /** The objects in each pack, by the pack's file name without its extension. */
  readonly packs: ReadonlyMap<string, ReadonlySet<string>>;
}

interface CommitInHistory {
  /** The commit needs this many of the first `objects`. */
  readonly needs: number;
  /** The version of each article at this commit. */
  readonly versions: ReadonlyMap<string, number>;
  /** The blob of each article's file at this commit, by path. */
  readonly blobs: ReadonlyMap<string, string>;
  /** The blobs that the files had before. */
  readonly former: ReadonlySet<string>;
}

/** Reads the history of the branch that is checked out. */
export function readHistory(dir: string, sent: readonly Sent[]): History {
  const git = (args: readonly string[], input: Buffer | string = '') =>
    execFileSync('git', args, {
      cwd: dir,
      env: gitEnvironment(dir),
      input,
      encoding: 'utf8',
      maxBuffer: 1e9,
    });
  const list = git(['rev-list', '--objects', '--in-commit-order', '--reverse', 'HEAD']);
  const objects = list
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ', 1)[0] ?? '');
  const format =
    '%H%x09%(trailers:key=Article-Id,valueonly,separator=)%x09%(trailers:key=Revision-Id,valueonly,separator=)';
  const raw = git(['log', '--raw', '--no-abbrev', '--format=%x00%H']).split('\0').slice(1);
  const changes = new Map(raw.map((text) => [text.split('\n', 1)[0] ?? '', text]));
  const commits = new Map<string, CommitInHistory>();
  const lines = git(['log', '--reverse', `--format=${format}`])
    .trimEnd()
    .split('\n');
  const versions = new Map<string, number>();
  const blobs = new Map<string, string>();
  const former = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const [commit = '', id = '', revision = ''] = line.split('\t');
    const next = lines[index + 1]?.split('\t', 1)[0];
    const needs = next === undefined ? objects.length : objects.indexOf(next);
    const one = sent.find((about) => about.id === id);
    if (one !== undefined) versions.set(id, 1 + one.updates.indexOf(revision));
    const [, blob, path] =
      /^:\d+ \d+ \w+ (\w+) \w\t(content\/.*\.md)$/m.exec(changes.get(commit) ?? '') ?? [];
    if (blob !== undefined && path !== undefined) {
      former.add(blobs.get(path) ?? blob).delete(blob);
      blobs.set(path, blob);
    }
    commits.set(commit, {
      needs,
      versions: new Map(versions),
      blobs: new Map(blobs),
      former: new Set(former),
    });
  }
  const folder = join(dir, '.git/objects/pack');
  const indexes = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => name.endsWith('.idx')) : [];
  const packs = new Map(
    indexes.map((name) => {
      const shown = git(['show-index'], fs.readFileSync(join(folder, name)))
        .trimEnd()
        .split('\n');
      return [name.replace(/\.idx$/, ''), new Set(shown.map((line) => line.split(' ')[1] ?? ''))] as const;
    }),
  );
  return { objects, commits, packs };
}

/**
 * Checks that all objects of the branch and the index exist and are complete: like `git fsck`, but without a process.
 *
 * @param committed the articles that must be committed; undefined if no commit was promised.
 * @returns the broken promise as a sentence; undefined if there is none.
 */
export function faultInRepository(
  state: CrashState,
  root: FolderNode,
  { objects, commits, packs }: History,
  committed: Acknowledged | undefined,
): string | undefined {
  const at = (path: string): DiskNode | undefined => {
    let node: DiskNode | undefined = root;
    for (const name of path.split('/'))
      node = node?.kind === 'folder' ? state.entries(node).get(name) : undefined;
    return node;
  };
  const folder = at('.git/objects');
  const packFolder = at('.git/objects/pack');
  const packed = [...packs].flatMap(([name, ids]) =>
    ['.pack', '.idx'].every((ending) => isWhole(state, at(`.git/objects/pack/${name}${ending}`)))
      ? [ids]
      : [],
  );
  if (folder?.kind !== 'folder' || packFolder?.kind !== 'folder')
    return 'the folders of git’s objects should exist';
  const fans = state.entries(folder);
  const isThere = (id: string) => {
    const fan = fans.get(id.slice(0, 2));
    const loose = fan?.kind === 'folder' ? state.entries(fan).get(id.slice(2)) : undefined;
    return isWhole(state, loose) || packed.some((ids) => ids.has(id));
  };

  const branch = at('.git/refs/heads/main');
  const tip = branch?.kind === 'file' ? state.content(branch).toString().trim() : '';
  const commit = commits.get(tip);
  if (commit === undefined)
    return `the branch should point to a commit, but points to ${JSON.stringify(tip)}`;
  const missing = objects.slice(0, commit.needs).filter((id) => !isThere(id));
  if (missing.length > 0) return `the branch should have all its objects, but lacks ${missing.join(', ')}`;
  const index = at('.git/index');
  const inIndex = index?.kind === 'file' ? blobsInIndex(state.content(index)) : new Map<string, string>();
  const unknown = [...inIndex.values()].filter((id) => !isThere(id));
  if (unknown.length > 0) return `the index should have all its objects, but lacks ${unknown.join(', ')}`;
  for (const path of commit.blobs.keys()) {
    const blob = inIndex.get(path);
    if (blob === undefined || commit.former.has(blob))
      return `the index should have ${path} as the branch has it, or newer, but has ${blob ?? 'nothing'}: the owner’s next commit would undo the article`;
  }
  for (const [id, version] of committed ?? []) {
    const found = commit.versions.get(id);
    if (found === undefined || found < version)
      return `${id} was acknowledged as version ${version} and should be committed, but the branch has version ${found ?? 'none'}`;
  }
  return undefined;
}

function isWhole(state: CrashState, node: DiskNode | undefined): node is FileNode {
  if (node?.kind !== 'file') return false;
  const content = state.content(node);
  return content === node.written || (content.length > 0 && content.equals(node.written));
}

const HEADER = 12;
/** The length of an entry before the path: the stat data, the object's name, the flags. */
const ENTRY = 62;

/** The blobs in a git index (version 2, SHA-1), by path. @throws Error if it is torn or has another version. */
export function blobsInIndex(index: Buffer): Map<string, string> {
  if (index.toString('latin1', 0, 4) !== 'DIRC' || index.readUInt32BE(4) !== 2)
    throw new Error('the index is torn, or of another version');
  const blobs = new Map<string, string>();
  let at = HEADER;
  for (let count = index.readUInt32BE(8); count > 0; count--) {
    const end = index.indexOf(0, at + ENTRY);
    blobs.set(index.toString('utf8', at + ENTRY, end), index.toString('hex', at + 40, at + 60));
    // each entry ends with one to eight NUL bytes, so that its length is a multiple of eight
    at += Math.ceil((end + 1 - at) / 8) * 8;
  }
  return blobs;
}
