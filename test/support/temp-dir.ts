import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes an empty folder; `removeTempDir` removes it. */
export function makeTempDir(): string {
  return fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'pressmark-test-')));
}

/** A program that a killed receiver has started ends by itself, and may write until then, in milliseconds. */
const MOST_WAIT_MS = 15_000;

export function removeTempDir(path: string): void {
  for (const end = performance.now() + MOST_WAIT_MS; ; ) {
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
export function tempDir(t: { teardown(dispose: () => void): void }): string {
  const path = makeTempDir();
  t.teardown(() => removeTempDir(path));
  return path;
}
