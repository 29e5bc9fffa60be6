import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes an empty folder; `removeTempDir` removes it. */
export function makeTempDir(): string {
  return fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'pressmark-test-')));
}

export function removeTempDir(path: string): void {
  fs.rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** Makes an empty folder that is removed after the test. */
export function tempDir(t: { teardown(dispose: () => void): void }): string {
  const path = makeTempDir();
  t.teardown(() => removeTempDir(path));
  return path;
}
