import type { Random } from '../../support/random.js';

/** A file: what was written to it, and what of that survives a power loss. */
export interface FileNode {
  readonly kind: 'file';
  readonly number: number;
  written: Buffer;
  /** The content at the beginning of the last completed fsync; undefined before the first one. */
  synced: Buffer | undefined;
  /** When that fsync began, as a count of all of them. */
  syncBegan: number;
  /** Whether the file was new or truncated to length 0 since that fsync, so that it may be empty after a power loss. */
  emptied: boolean;
}

/** A folder: its entries, the entries that survive a power loss, and the operations between the two. */
export interface FolderNode {
  readonly kind: 'folder';
  readonly number: number;
  readonly entries: Map<string, DiskNode>;
  readonly synced: Map<string, DiskNode>;
  unsynced: Operation[];
}

export type DiskNode = FileNode | FolderNode;

/** An atomic change of entries. A rename from one folder to another is one operation. */
interface Operation {
  readonly number: number;
  readonly effects: readonly Effect[];
}

interface Effect {
  readonly folder: FolderNode;
  readonly name: string;
  /** The new entry of this name; undefined if the entry is removed. */
  readonly node: DiskNode | undefined;
}

/** The model of a disk; see `createDisk`. */
export interface Disk {
  readonly root: FolderNode;
  /** @returns undefined if there is neither a file nor a folder at this path. */
  find(path: string): DiskNode | undefined;
  create(path: string): FileNode;
  makeFolder(path: string): void;
  link(from: string, to: string): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  write(file: FileNode, position: number, bytes: Buffer): void;
  truncate(file: FileNode, length: number): void;
  /** Begins an fsync. @returns a function to be called when the fsync has succeeded. */
  beginSync(node: DiskNode): () => void;
  /** Begins a sync of everything. @returns a function to be called when it has succeeded. */
  beginSyncOfAll(): () => void;
}

/** Files and folders by name, as read from a real disk. */
export type Tree = ReadonlyMap<string, Buffer | Tree>;

const EMPTY = Buffer.alloc(0);

/**
 * Makes the model of a disk on which a power loss may undo everything that was not synced: a file's content by an fsync
 * of the file, a name by an fsync of its folder.
 *
 * @param base the initial content of the disk, all of it synced.
 */
export function createDisk(base: Tree): Disk {
  let nodes = 0;
  let operations = 0;
  let syncs = 0;
  const root = makeFolderNode();
  fill(root, base);

  function makeFolderNode(): FolderNode {
    return { kind: 'folder', number: nodes++, entries: new Map(), synced: new Map(), unsynced: [] };
  }

  function fill(folder: FolderNode, tree: Tree): void {
    for (const [name, content] of tree) {
      const node = Buffer.isBuffer(content)
        ? { ...makeFile(), written: content, synced: content, emptied: false }
        : makeFolderNode();
      if (node.kind === 'folder' && !Buffer.isBuffer(content)) fill(node, content);
      folder.entries.set(name, node);
      folder.synced.set(name, node);
    }
  }

  function makeFile(): FileNode {
    return {
      kind: 'file',
      number: nodes++,
      written: EMPTY,
      synced: undefined,
      syncBegan: 0,
      emptied: true,
    };
  }

  function find(path: string): DiskNode | undefined {
    let node: DiskNode | undefined = root;
    for (const name of namesIn(path)) node = node?.kind === 'folder' ? node.entries.get(name) : undefined;
    return node;
  }

  function placeOf(path: string): { readonly folder: FolderNode; readonly name: string } {
    const names = namesIn(path);
    const name = names.pop() ?? '';
    const folder = find(names.join('/'));
    if (folder?.kind !== 'folder') throw new Error(`the model has no folder for ${path}`);
    return { folder, name };
  }

  function change(...effects: readonly Effect[]): void {
    const operation = { number: operations++, effects };
    for (const { folder, name, node } of effects) {
      if (node === undefined) folder.entries.delete(name);
      else folder.entries.set(name, node);
    }
    for (const folder of new Set(effects.map((effect) => effect.folder))) folder.unsynced.push(operation);
  }

  function known(path: string): DiskNode {
    const node = find(path);
    if (node === undefined) throw new Error(`the model has nothing at ${path}`);
    return node;
  }

  function create(path: string): FileNode {
    const node = makeFile();
    change({ ...placeOf(path), node });
    return node;
  }

  function beginSync(node: DiskNode): () => void {
    if (node.kind === 'file') {
      const { written } = node;
      const began = ++syncs;
      return () => {
        // A sync of everything may end after that of a file, which has begun later.
        if (began < node.syncBegan) return;
        node.syncBegan = began;
        node.synced = written;
        if (node.written === written) node.emptied = false;
      };
    }
    const seen = [...node.unsynced];
    return () => seen.forEach(makeDurable);
  }

  function beginSyncOfAll(): () => void {
    const folders = [...foldersBelow(root)];
    const files = folders.flatMap(({ entries }) =>
      [...entries.values()].filter(({ kind }) => kind === 'file'),
    );
    const ends = [...folders, ...new Set(files)].map(beginSync);
    return () => {
      for (const end of ends) end();
    };
  }

  function makeDurable(operation: Operation): void {
    const { effects } = operation;
    if (!effects.some(({ folder }) => folder.unsynced.includes(operation))) return;
    for (const { folder, name, node } of effects) {
      if (node === undefined) folder.synced.delete(name);
      else folder.synced.set(name, node);
      folder.unsynced = folder.unsynced.filter((one) => one !== operation);
    }
  }

  return {
    root,
    find,
    create,
    makeFolder: (path) => change({ ...placeOf(path), node: makeFolderNode() }),
    link: (from, to) => change({ ...placeOf(to), node: known(from) }),
    rename: (from, to) => {
      const node = known(from);
      if (find(to) !== node) change({ ...placeOf(from), node: undefined }, { ...placeOf(to), node });
    },
    remove: (path) => {
      known(path);
      change({ ...placeOf(path), node: undefined });
    },
    write: (file, position, bytes) => {
      const next = Buffer.alloc(Math.max(file.written.length, position + bytes.length));
      file.written.copy(next);
      bytes.copy(next, position);
      file.written = next;
    },
    truncate: (file, length) => {
      const next = Buffer.alloc(length);
      file.written.copy(next);
      file.written = next;
      if (length === 0) file.emptied = true;
    },
    beginSync,
    beginSyncOfAll,
  };
}

function namesIn(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}

/** What may be on a disk after a power loss. */
export interface CrashState {
  readonly kind: CrashKind;
  entries(folder: FolderNode): ReadonlyMap<string, DiskNode>;
  content(file: FileNode): Buffer;
}

export const CRASH_KINDS = ['synced', 'written', 'names', 'folder', 'mixture', 'garbage'] as const;
/**
 * - `synced`: only synced names and contents
 * - `written`: all names and contents
 * - `names`: all names, but only synced contents
 * - `folder`: all names of one random folder, otherwise only synced names and contents
 * - `mixture`: of each folder a random number of the oldest operations, of each file a random content
 * - `garbage`: all names, and zeros or another file's bytes for most of what was not synced
 */
export type CrashKind = (typeof CRASH_KINDS)[number];

/** A state that the disk may have if the power fails now. It must not be used after the disk has changed. */
export function crashState(disk: Disk, kind: CrashKind, random: Random): CrashState {
  const isAll = kind === 'written' || kind === 'names' || kind === 'garbage';
  const folders = isAll || kind === 'synced' ? undefined : withOperations(disk, kind, random);
  const contents = new Map<FileNode, Buffer>();
  let others: Buffer[] | undefined;
  const foreign = (file: FileNode) => {
    others ??= [
      ...new Set([...foldersBelow(disk.root)].flatMap(({ entries }) => [...entries.values()])),
    ].flatMap((node) => (node.kind === 'file' && node.written.length > 0 ? [node.written] : []));
    return wrongContent(file, random, others);
  };
  return {
    kind,
    entries: (folder) => (isAll ? folder.entries : (folders?.get(folder) ?? folder.synced)),
    content: (file) => {
      if (kind === 'written') return file.written;
      if (kind !== 'mixture' && kind !== 'garbage') return file.synced ?? EMPTY;
      if (file.written === file.synced) return file.written;
      const share = kind === 'garbage' ? 0.8 : 0.3;
      const content =
        contents.get(file) ?? (random.chance(share) ? foreign(file) : randomContent(file, random));
      contents.set(file, content);
      return content;
    },
  };
}

/** The entries of the folders that keep unsynced operations. */
function withOperations(disk: Disk, kind: CrashKind, random: Random): Map<FolderNode, Map<string, DiskNode>> {
  const changed = [...foldersBelow(disk.root)].filter(({ unsynced }) => unsynced.length > 0);
  const one = kind === 'folder' && changed.length > 0 ? random.pick(changed) : undefined;
  const kept =
    one?.unsynced ??
    changed.flatMap(({ unsynced }) => unsynced.slice(0, random.integer(0, unsynced.length + 1)));
  const folders = new Map<FolderNode, Map<string, DiskNode>>();
  for (const { effects } of [...new Set(kept)].sort((a, b) => a.number - b.number)) {
    for (const { folder, name, node } of effects) {
      const entries = folders.get(folder) ?? new Map(folder.synced);
      folders.set(folder, entries);
      if (node === undefined) entries.delete(name);
      else entries.set(name, node);
    }
  }
  return folders;
}

/** All folders that have a name, or have one in the synced entries of another folder. */
function foldersBelow(root: FolderNode): Set<FolderNode> {
  const found = new Set([root]);
  for (const folder of found)
    for (const node of [...folder.entries.values(), ...folder.synced.values()])
      if (node.kind === 'folder') found.add(node);
  return found;
}

const BLOCK = 4_096;

/** The synced content, the written one, a mixture of both at a block boundary, or nothing. */
function randomContent(file: FileNode, random: Random): Buffer {
  const { written, synced = EMPTY } = file;
  if (written === file.synced) return written;
  const choice = random.integer(0, file.emptied ? 4 : 3);
  if (choice === 0) return synced;
  if (choice === 1) return written;
  if (choice === 3) return EMPTY;
  const torn = BLOCK * random.integer(0, Math.ceil(written.length / BLOCK) + 1);
  return Buffer.concat([written.subarray(0, torn), synced.subarray(torn)]);
}

/**
 * The size that was written, but other bytes from some place on behind what was synced: zeros, another file's, or in
 * one block either.
 */
function wrongContent(
  { written, synced = EMPTY }: FileNode,
  random: Random,
  others: readonly Buffer[],
): Buffer {
  const end = Math.min(written.length, synced.length);
  let same = 0;
  while (same < end && written[same] === synced[same]) same++;
  const wrong = Buffer.from(written);
  const start = Math.max(same, BLOCK * random.integer(0, Math.ceil(written.length / BLOCK) + 1));
  const from = random.chance(0.5) ? same : Math.min(start, written.length);
  const to = random.chance(0.5) ? written.length : Math.min(written.length, from + BLOCK);
  const source = random.chance(0.5) || others.length === 0 ? undefined : random.pick(others);
  for (let at = from; at < to; at++) wrong[at] = source?.[at % source.length] ?? 0;
  return wrong;
}

/** Yields every file of a state with its path. */
export function* filesIn(
  state: CrashState,
  folder: FolderNode,
  prefix = '',
): Generator<{ readonly path: string; readonly file: FileNode }> {
  for (const [name, node] of state.entries(folder)) {
    const path = `${prefix}${name}`;
    if (node.kind === 'file') yield { path, file: node };
    else yield* filesIn(state, node, `${path}/`);
  }
}
