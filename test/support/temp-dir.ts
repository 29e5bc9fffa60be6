import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { Teardown } from './teardown.js';
import { patienceMs } from './until.js';

/** Makes an empty folder; `removeTempDir` removes it. */
export function makeTempDir(): string {
  return fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'pressmark-test-')));
}

export function removeTempDir(path: string): void {
  // A program that a killed receiver has started ends by itself, and may write until then.
  for (const end = performance.now() + patienceMs(); ; ) {
    try {
      fs.rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
      return;
    } catch (error) {
      const isWrittenTo = error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY';
      if (!isWrittenTo || performance.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}

/** Makes an empty folder that is removed after the test. */
export function tempDir(t: Teardown): string {
  const path = makeTempDir();
  t.teardown(() => removeTempDir(path));
  return path;
}

/** Writes files into a folder, by their paths below it. */
export function writeFiles(dir: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(dir, path)), { recursive: true });
    fs.writeFileSync(join(dir, path), text);
  }
}

/** The texts of a folder's files, by their paths below it; those behind links are none. */
export function readFiles(dir: string): Record<string, string> {
  const files = fs.readdirSync(dir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  return Object.fromEntries(paths.map((path) => [relative(dir, path), fs.readFileSync(path, 'utf8')]));
}

/** Makes a folder with these files, which is removed after the test. */
export function folderWith(t: Teardown, files: Readonly<Record<string, string>>): string {
  const dir = tempDir(t);
  writeFiles(dir, files);
  return dir;
}
