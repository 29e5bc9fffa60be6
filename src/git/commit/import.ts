import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../cli/repository.js';
import type { Blob } from './blobs.js';
import type { Identity, Person } from './identity.js';

/** One commit to be made: one file, one message. */
export interface CommitDraft {
  /** From the top of the work tree. */
  readonly path: string;
  readonly blob: Blob;
  readonly message: string;
  /** Who wrote it and when, where that is not the batch's own author and now. */
  readonly authored?: Authored;
}

/** An author and the moment, in seconds since 1970. */
export interface Authored extends Person {
  readonly seconds: number;
}

/** From so many commits on, git leaves the processor to others. */
const MANY = 100;

/** How many bytes of texts are handed to git in one piece. */
const MOST_AT_ONCE = 1_000_000;

// Only a name inside fast-import; it is reset before the end, so that no such ref is ever written.
const SCRATCH = 'refs/pressmark/batch';

/**
 * Makes a row of commits on top of `parent` and returns their names, in order. No branch moves and the index
 * is not touched; hooks and signing do not apply. One process, however many commits.
 *
 * @param options.background false where a delivery waits for it. @default true
 */
export async function importCommits(
  { git, gitDir }: Repository,
  parent: string | null,
  drafts: readonly CommitDraft[],
  { author, committer }: Identity,
  { background = true }: { background?: boolean } = {},
): Promise<string[]> {
  const now = `${Math.floor(Date.now() / 1_000)} +0000`;
  function* commands(): Generator<Buffer> {
    for (const [index, { path, blob, message, authored }] of drafts.entries()) {
      const by = authored === undefined ? `${personLine(author)} ${now}` : authoredLine(authored);
      const from = index === 0 && parent !== null ? `from ${parent}\n` : '';
      yield Buffer.concat([
        Buffer.from(
          `commit ${SCRATCH}\nmark :${index + 1}\n` +
            `author ${by}\ncommitter ${personLine(committer)} ${now}\n`,
        ),
        data(Buffer.from(message)),
        Buffer.from(
          `${from}M 100644 ${blob.content === undefined ? blob.id : 'inline'} ${quotedPath(path)}\n`,
        ),
        blob.content === undefined ? Buffer.alloc(0) : data(blob.content),
        Buffer.from(`\nget-mark :${index + 1}\n`),
      ]);
    }
    yield Buffer.from(`reset ${SCRATCH}\n\ndone\n`);
  }
  const size = drafts.reduce((sum, { blob }) => sum + (blob.content?.length ?? 0), 0);
  const isSmall = drafts.length < MANY && size <= MOST_AT_ONCE;
  try {
    const { stdout } = await git(['fast-import', '--quiet', '--done', '--date-format=raw'], {
      input: isSmall ? Buffer.concat([...commands()]) : inPieces(commands()),
      isDelimited: true,
      // deliveries that stream in come first; a few commits are no burden
      background: background && drafts.length >= MANY,
    });
    return stdout.trim().split('\n');
  } catch (error) {
    await removeReports(gitDir);
    throw error;
  }
}

async function* inPieces(commands: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* commands;
}

/** The report that fast-import leaves when it fails is of no use to the owner; it names our scratch ref. */
async function removeReports(gitDir: string): Promise<void> {
  const names = (await readdir(gitDir)).filter((name) => name.startsWith('fast_import_crash_'));
  for (const name of names) {
    const report = join(gitDir, name);
    const text = await readFile(report, 'utf8').catch(() => ''); // another receiver has removed it
    if (text.includes(SCRATCH)) await rm(report, { force: true });
  }
}

/** A person as fast-import reads it. */
export function personLine({ name, email }: Person): string {
  return `${name} <${email}>`;
}

function authoredLine(authored: Authored): string {
  return `${personLine(authored)} ${authored.seconds} +0000`;
}

/** Bytes as fast-import reads them. */
export function data(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`data ${content.length}\n`), content, Buffer.from('\n')]);
}

/** A path as fast-import reads it: in C-style quotes, so that any byte but NUL may stand in it. */
export function quotedPath(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}
