import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';

const FILE_SYSTEMS = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x01021994, 'tmpfs (its fsync does nothing; set PRESSMARK_BENCH_DIR)'],
  [0x794c7630, 'overlayfs'],
]);

/** Where the benchmark writes: a fresh folder for each leg, all of them removed at the very end. */
export interface Workspace {
  /** The kind of file system. */
  readonly fileSystem: string;
  fresh(name: string): string;
  /** Deleting thousands of fsynced files slows later creates on ext4 for minutes, so it comes last. */
  remove(): void;
}

export function openWorkspace(): Workspace {
  const parent = process.env.PRESSMARK_BENCH_DIR ?? os.tmpdir();
  const root = fs.mkdtempSync(join(parent, 'pressmark-bench-'));
  const { type } = fs.statfsSync(root);
  let made = 0;
  return {
    fileSystem: FILE_SYSTEMS.get(type) ?? `file system 0x${type.toString(16)}`,
    fresh: (name) => {
      const folder = join(root, `${++made}-${name}`);
      fs.mkdirSync(folder);
      return folder;
    },
    remove: () => fs.rmSync(root, { recursive: true, force: true }),
  };
}
