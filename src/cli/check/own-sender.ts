import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { childEnvironment } from '../../child-environment.js';
import type { SenderDriver } from '../../conformance/sender/driver.js';
import { PressmarkError } from '../../errors.js';
import { PACKAGE_FOLDER } from '../../own-package.js';

const PROGRAM = join(PACKAGE_FOLDER, 'dist/pressmark/bin.cjs');
/** The exit code of wrong usage; lower ones are about articles. */
const WRONG_USAGE = 2;

/** Drives Pressmark's own sender by its commands, in a temporary folder; `--clock` moves its time. */
export function ownSender(service: { readonly name: string; readonly comment: string }): SenderDriver & {
  close(): void;
} {
  const dir = fs.mkdtempSync(join(tmpdir(), 'pressmark-check-sender-'));
  let aheadMs = 0;
  let files = 0;
  let secret = '';
  let running: ChildProcess | undefined;

  async function run(...words: string[]): Promise<string> {
    const env = { ...childEnvironment(), PRESSMARK_SECRET: secret };
    const child = spawn(process.execPath, [PROGRAM, ...words, '--dir', dir], {
      env,
      cwd: dir,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running = child;
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit') as Promise<[number | null]>,
    ]);
    if (code !== null && code >= WRONG_USAGE)
      throw new PressmarkError('USAGE', `pressmark ${words[0]} ended with ${code}: ${errors.trim()}`);
    return output;
  }

  const clock = () => ['--clock', `${aheadMs / 1000}s`];

  function write(folder: string): string {
    const path = join(dir, folder);
    fs.mkdirSync(path, { recursive: true });
    const file = join(path, `article-${++files}.md`);
    fs.writeFileSync(file, `---\ntitle: Article ${files}\n---\n\nThe text of article ${files}.\n`);
    return file;
  }

  return {
    now: () => Date.now() + aheadMs,
    take: async (step) => {
      if (step.kind === 'connect') {
        secret = step.secret;
        await run('connect', 'trial', step.url, '--service', `${service.name}:${service.comment}`);
      }
      if (step.kind === 'publish') {
        const folder = `posts-${files}`;
        for (let n = 0; n < step.count; n++) write(folder);
        await run('publish', join(dir, folder), '--json', ...clock());
      }
      if (step.kind === 'refresh')
        await run('refresh', step.url, write('refreshed'), '--force', '--json', ...clock());
      if (step.kind === 'kill') running?.kill('SIGKILL');
    },
    passTo: async (moment) => {
      aheadMs = Math.ceil((moment - Date.now()) / 1000) * 1000;
      await run('work', '--once', ...clock());
    },
    records: async () => JSON.parse(await run('deliveries', '--json')),
    close: () => {
      running?.kill('SIGKILL');
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
}
