import { relative, resolve } from 'node:path';
import type { Disk, DiskNode, FileNode } from './crash-model.js';
import { type Call, type Descriptor, hexOf, processesOf } from './strace-log.js';

/** The recorded system calls. `replay` throws at one that changes files and is not modelled. */
export const RECORDED_CALLS = [
  'open,openat,openat2,creat,close,lseek,read,write,pwrite64,writev,pwritev,pwritev2,sendto,sendmsg',
  'truncate,ftruncate,fallocate,copy_file_range,sendfile,splice,fsync,fdatasync,syncfs,sync,sync_file_range',
  'rename,renameat,renameat2,link,linkat,unlink,unlinkat,symlink,symlinkat,mkdir,mkdirat,rmdir',
  'chdir,fchdir,clone,clone3,fork,vfork,io_uring_enter',
].join(',');

/** A change of the disk, or an answer, in a recording. */
export interface Step {
  /** A description for messages. */
  readonly what: string;
  /** Whether the disk, or what survives a power loss, has changed. */
  readonly isChange: boolean;
  /** The path of the file or folder, relative to the root. */
  readonly path: string | undefined;
  /** The body of an answer with status 200, of which the write begins now. */
  readonly answer?: string;
}

interface OpenFile {
  readonly file: FileNode;
  position: number;
  readonly appends: boolean;
  /** The line of the log at which it was open. */
  readonly since: number;
}

/** Makes a filter for lines of strace: true for lines that may concern files below a folder, or an answer. */
export function isAbout(root: string): (line: string) => boolean {
  const folder = hexOf(root);
  const ok = hexOf('HTTP/1.1 200 ');
  const always =
    /^(?:rename|link|unlink|symlink|mkdir|rmdir|chdir|fchdir|clone|truncate|close|lseek|read|sync|io_uring)/;
  return (line) =>
    always.test(line) || line.includes(folder) || (line.includes(ok) && /^(?:write|send)/.test(line));
}

/**
 * Applies the recorded calls to a model, one step at a time, so that the caller can examine the model between the
 * steps.
 *
 * @param disk contains what the folder contained when the recording began.
 * @param root the absolute path of the recorded folder.
 * @throws Error if the model does not know a call, or if the call cannot have succeeded.
 */
export function* replay(disk: Disk, calls: readonly Call[], root: string): Generator<Step, void, void> {
  const processes = processesOf(calls);
  const open = new Map<string, OpenFile>();
  const folders = new Map<number, string>();
  /** Files by a name that they have lost; they can still be written or synced through a descriptor. */
  const unlinked = new Map<string, DiskNode>();
  const done = new Set<Call>();
  const syncs = new Map<Call, () => void>();

  /** A path relative to the root; undefined if it is not below the root. */
  function below(path: string): string | undefined {
    const found = relative(root, path);
    return found === '..' || found.startsWith('../') || found.startsWith('/') ? undefined : found;
  }

  const processOf = ({ thread }: Call) => processes.get(thread) ?? thread;

  /** The paths of a call. Each is resolved against the folder descriptor before it, or the current folder. */
  function pathsOf(call: Call): (string | undefined)[] {
    let next = 0;
    let from: Descriptor | undefined;
    const paths: (string | undefined)[] = [];
    let strings = 0;
    for (const [mark] of call.text.matchAll(/[SF]/g)) {
      if (mark === 'F') {
        from = call.descriptors[next++];
        continue;
      }
      const name = call.strings[strings++]?.toString() ?? '';
      const folder = from?.path ?? folders.get(processOf(call)) ?? root;
      paths.push(below(resolve(folder, name)));
      from = undefined;
    }
    return paths;
  }

  function nodeOf(call: Call): DiskNode | undefined {
    const [descriptor] = call.descriptors;
    if (descriptor === undefined) return undefined;
    const path = below(descriptor.path);
    if (path === undefined) return undefined;
    const opened = open.get(`${processOf(call)} ${descriptor.number}`);
    if (opened !== undefined) return opened.file;
    const node = descriptor.deleted ? unlinked.get(path) : disk.find(path);
    if (node === undefined && !descriptor.deleted)
      throw new Error(`${call.name} on ${path}, which does not exist in the model`);
    return node;
  }

  function openFileOf(call: Call): OpenFile | undefined {
    const node = nodeOf(call);
    if (node?.kind !== 'file') return undefined;
    const number = call.descriptors[0]?.number ?? -1;
    const opened = open.get(`${processOf(call)} ${number}`);
    if (opened === undefined)
      throw new Error(`${call.name} on a file without a recorded open: ${call.descriptors[0]?.path}`);
    return opened;
  }

  function rememberUnlinked(path: string): void {
    const node = disk.find(path);
    if (node !== undefined) unlinked.set(path, node);
  }

  /** Applies a call to the model. @returns the changed path; undefined if the call changes nothing. */
  function apply(call: Call): string | undefined {
    const { name, text, result } = call;
    const [first, second] = /^(?:open|creat|truncate|rename|link|unlink|symlink|mkdir|rmdir)/.test(name)
      ? pathsOf(call)
      : [];
    if (/^(?:open|openat|creat)$/.test(name)) return applyOpen(call, first);
    if (/^rename/.test(name)) {
      if (first === undefined && second === undefined) return undefined;
      if (first === undefined || second === undefined)
        throw new Error(`${name} into or out of the recorded folder`);
      if (text.includes('RENAME_EXCHANGE')) throw new Error('RENAME_EXCHANGE is not modelled');
      rememberUnlinked(second);
      disk.rename(first, second);
      return second;
    }
    if (/^link/.test(name) && second !== undefined) {
      if (first === undefined) throw new Error(`${name} into or out of the recorded folder`);
      disk.link(first, second);
      return second;
    }
    if (/^(?:unlink|rmdir)/.test(name) && first !== undefined) {
      rememberUnlinked(first);
      disk.remove(first);
      return first;
    }
    if (/^mkdir/.test(name) && first !== undefined) {
      disk.makeFolder(first);
      return first;
    }
    if (/^(?:write|writev|pwrite64|pwritev)$/.test(name)) return applyWrite(call);
    if (name === 'ftruncate') {
      const file = nodeOf(call);
      if (file?.kind !== 'file') return undefined;
      disk.truncate(file, numberAt(text, 1));
      return below(call.descriptors[0]?.path ?? '');
    }
    if (name === 'lseek') {
      const opened = open.get(`${processOf(call)} ${call.descriptors[0]?.number}`);
      if (opened !== undefined) opened.position = result;
      return undefined;
    }
    if (name === 'read') {
      const opened = open.get(`${processOf(call)} ${numberAt(text, 0)}`);
      if (opened !== undefined) opened.position += result;
      return undefined;
    }
    if (name === 'close') {
      const key = `${processOf(call)} ${call.descriptors[0]?.number}`;
      // Another thread may have got the number before this one has returned.
      if ((open.get(key)?.since ?? 0) < call.begin) open.delete(key);
      return undefined;
    }
    if (name === 'chdir') {
      const process = processOf(call);
      const to = call.strings[0]?.toString() ?? '';
      folders.set(process, resolve(folders.get(process) ?? root, to));
      return undefined;
    }
    if (/^(?:clone|clone3|fork|vfork|sendto|sendmsg)$/.test(name)) return undefined;
    const isBelowRoot = call.descriptors.some(({ path }) => below(path) !== undefined) || first !== undefined;
    if (isBelowRoot || /^(?:sync|io_uring)/.test(name))
      throw new Error(`the model does not know ${name}(${text})`);
    return undefined;
  }

  function applyOpen(call: Call, path: string | undefined): string | undefined {
    const { name, text, result, descriptors } = call;
    const [from] = descriptors;
    if (from?.number === -100) folders.set(processOf(call), from.path);
    const writes = name === 'creat' || /O_(?:WRONLY|RDWR|CREAT|TRUNC)/.test(text);
    if (path === undefined || !writes) return undefined;
    if (text.includes('O_TMPFILE')) throw new Error('O_TMPFILE is not modelled');
    const present = disk.find(path);
    if (present?.kind === 'folder') throw new Error(`${path} is a folder in the model`);
    if (present === undefined && name !== 'creat' && !text.includes('O_CREAT'))
      throw new Error(`${name} of ${path}, which does not exist in the model`);
    const file = present ?? disk.create(path);
    const key = `${processOf(call)} ${result}`;
    open.set(key, { file, position: 0, appends: text.includes('O_APPEND'), since: call.end });
    const isCut = file.written.length > 0 && (name === 'creat' || text.includes('O_TRUNC'));
    if (isCut) disk.truncate(file, 0);
    return isCut || present === undefined ? path : undefined;
  }

  function applyWrite(call: Call): string | undefined {
    const { name, text, strings, result } = call;
    const path = below(call.descriptors[0]?.path ?? '/');
    if (path === undefined) return undefined;
    const opened = openFileOf(call);
    if (opened === undefined) return undefined;
    const bytes = Buffer.concat(strings).subarray(0, result);
    const isAt = /^pw/.test(name);
    const position = opened.appends
      ? opened.file.written.length
      : isAt
        ? numberAt(text, -1)
        : opened.position;
    disk.write(opened.file, position, bytes);
    if (!isAt) opened.position = position + bytes.length;
    return path;
  }

  /**
   * Applies a call. If that fails, another thread may have finished a call that strace logged later; such calls are
   * applied first.
   */
  function applyInOrder(call: Call, index: number): string | undefined {
    try {
      return apply(call);
    } catch (error) {
      const others = calls
        .slice(index + 1, index + 200)
        .filter((one) => one.begin < call.end && !done.has(one));
      for (const other of others.filter(({ name, result }) => isEntryChange(name) && result >= 0)) {
        apply(other);
        done.add(other);
        try {
          return apply(call);
        } catch {
          // this call was not the cause; the next one may be
        }
      }
      throw error;
    }
  }

  const moments = calls.flatMap((call, index) => [
    ...(SYNC.test(call.name) || isAnswer(call) ? [{ line: call.begin, call, index, isBegin: true }] : []),
    { line: call.end, call, index, isBegin: false },
  ]);
  moments.sort((a, b) => a.line - b.line || Number(b.isBegin) - Number(a.isBegin));
  for (const { call, index, isBegin } of moments) {
    const { name, result } = call;
    if (isBegin && isAnswer(call)) {
      yield { what: 'the answer is sent', isChange: false, path: undefined, answer: bodyOf(call) };
    } else if (isBegin) {
      const node = result === 0 && name !== 'syncfs' ? nodeOf(call) : undefined;
      if (node !== undefined) syncs.set(call, disk.beginSync(node));
      if (result === 0 && name === 'syncfs') syncs.set(call, disk.beginSyncOfAll());
    } else if (SYNC.test(name)) {
      const path = below(call.descriptors[0]?.path ?? '/');
      if (!syncs.has(call)) continue;
      syncs.get(call)?.();
      yield { what: `${name} ${path}`, isChange: true, path };
    } else if (result >= 0 && !done.has(call)) {
      const path = applyInOrder(call, index);
      if (path !== undefined) yield { what: `${name} ${path}`, isChange: true, path };
    }
  }
}

const SYNC = /^(?:f(?:data)?sync|syncfs)$/;

function isEntryChange(name: string): boolean {
  return /^(?:open|creat|rename|link|unlink|mkdir|rmdir)/.test(name);
}

function numberAt(text: string, index: number): number {
  return Number(text.split(', ').at(index));
}

function isAnswer({ name, strings }: Call): boolean {
  return (
    /^(?:write|writev|sendto|sendmsg)$/.test(name) &&
    strings[0]?.toString('latin1', 0, 13) === 'HTTP/1.1 200 '
  );
}

function bodyOf({ strings }: Call): string {
  const text = Buffer.concat(strings).toString();
  return text.slice(text.indexOf('\r\n\r\n') + 4);
}
