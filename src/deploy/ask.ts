import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shellWord } from '../generators/inspect/ask.js';
import { type BuildRun, runBuild, runFailure, withoutGitVariables } from './build/run-build.js';

/** How a generator is asked. */
export interface QuestionOptions extends Pick<BuildRun, 'env' | 'timeoutMs' | 'signal' | 'background'> {
  /** The folder that the command is run in: a copy of the site, as generators write caches when they are asked. */
  readonly dir: string;
  /** What the command is called in messages. */
  readonly name: string;
}

/** What a command has printed, or why it has failed. */
export type Answer =
  | { readonly kind: 'printed'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Runs a command of a shell for what it prints. It gets no secrets, and has as long as a build. Its output goes to a file,
 * because warnings would be in the midst of it, and it may be long.
 */
export async function askGenerator(command: string, options: QuestionOptions): Promise<Answer> {
  const { dir, name, env, timeoutMs, signal, background = false } = options;
  const folder = fs.mkdtempSync(join(tmpdir(), 'pressmark-answer-'));
  const answer = join(folder, 'answer');
  try {
    const result = await runBuild({
      command: `{ ${command}\n} > ${shellWord(answer)}`,
      cwd: dir,
      env: withoutGitVariables(env),
      background,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(signal !== undefined && { signal }),
    });
    if (result.kind !== 'built') return { kind: 'failed', reason: runFailure('list', name, result) };
    return { kind: 'printed', text: fs.readFileSync(answer, 'utf8') };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
