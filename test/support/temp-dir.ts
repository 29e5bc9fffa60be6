import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new empty folder; `removeTempDir` takes it away. */
export function makeTempDir(): string {
  return fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'pressmark-test-')));
}

export function removeTempDir(path: string): void {
  fs.rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** A new empty folder that goes away with the test. */
export function tempDir(t: { teardown(dispose: () => void): void }): string {
  const path = makeTempDir();
  t.teardown(() => removeTempDir(path));
  return path;
}
