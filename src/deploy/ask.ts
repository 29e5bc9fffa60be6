import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shellWord } from '../generators/inspect/ask.js';
import { runShellCommand, type ShellRun, shellFailure, withoutGitVariables } from './run-shell-command.js';

/** Options of `askGenerator`. */
export interface QuestionOptions extends Pick<ShellRun, 'env' | 'timeoutMs' | 'signal' | 'background'> {
  /** The folder to run the command in: a copy of the site, as generators write caches. */
  readonly dir: string;
  /** The command's name in messages. */
  readonly name: string;
}

/** The output of a command, or the reason of its failure. */
export type Answer =
  | { readonly kind: 'printed'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Runs a shell command for its output. It gets no secrets, and may take as long as a build. Its output goes to a file, as it
 * may be long and must not be mixed with warnings.
 */
export async function askGenerator(command: string, options: QuestionOptions): Promise<Answer> {
  const { dir, name, env, timeoutMs, signal, background = false } = options;
  const folder = fs.mkdtempSync(join(tmpdir(), 'pressmark-answer-'));
  const answer = join(folder, 'answer');
  try {
    const result = await runShellCommand({
      command: `{ ${command}\n} > ${shellWord(answer)}`,
      cwd: dir,
      env: withoutGitVariables(env),
      background,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(signal !== undefined && { signal }),
    });
    if (result.kind !== 'succeeded') return { kind: 'failed', reason: shellFailure('command', name, result) };
    return { kind: 'printed', text: fs.readFileSync(answer, 'utf8') };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
