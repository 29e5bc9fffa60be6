import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { blobId, type Repository } from '../cli/repository.js';
import { blobsAt } from '../cli/trees.js';
import { blobOfBytes, blobsOf, blobsOnDisk } from '../commit/blobs.js';
import { readHead } from '../commit/head.js';
import { stagedBlobs } from '../commit/index.js';
import { readIndexNotes } from '../commit/index-intents.js';
import { parkedTip } from '../commit/parked.js';
import { placeFiles } from '../commit/placement.js';
import type { StoredFile } from '../stored-file.js';
import type { SavedText, SavedTexts } from './saved-texts.js';
import { changesSince } from './since.js';
import { type Waiting, waitingText } from './waiting.js';

/** A replaced text as it is committed. */
export interface OpenText extends StoredFile {
  readonly content: string | { readonly blob: string };
}

export interface ReplacedTextsOptions {
  readonly repository: Repository;
  readonly saved: SavedTexts;
  /** Whether people's edits are committed. */
  readonly commitEdits: boolean;
  /** Reads a text that an article's file has held; undefined where it is malformed. */
  readonly decode: (path: string, text: string) => StoredFile | undefined;
  readonly log: Log;
}

/** What becomes of texts that updates have replaced; see `createReplacedTexts`. */
export type ReplacedTexts = ReturnType<typeof createReplacedTexts>;

/**
 * What git has of a text: the text itself; an edit in the index alone, which its owner may be about to commit; something
 * newer of somebody else's; or none of these.
 */
type Standing = 'there' | 'staged' | 'gone past' | 'lacking';

const LEFT =
  'an edit that an update replaced has no commit, as git has gone on without it; its text is kept in this file below .pressmark';
/** `git commit <path>` reads the file twice, and may stage one text and commit another, if they differ by then. */
const LEFT_STAGED =
  'an edit that an update replaced is staged, and its owner’s to commit; its text is kept in this file below .pressmark, too';

/** How long an update waits at most to hear where HEAD is, in milliseconds: its answer must not hang on git. */
const HEAD_MS = 2_000;
/** How many paths one git command is given. */
const CHUNK = 200;

/**
 * Texts that updates have replaced before they were committed, from the file in which they are kept to their commits.
 * Where no commit can be made any more without undoing somebody's, an edit is left to its owner.
 */
export function createReplacedTexts({ repository, saved, commitEdits, decode, log }: ReplacedTextsOptions) {
  /** Those of which nobody could say yet what became of them. */
  const unsettled = new Set<string>();

  /**
   * Keeps what an article's file holds, before an update replaces it.
   *
   * @returns its name and the commit that HEAD was at.
   */
  async function keep(path: string) {
    // a file that is no UTF-8 has other bytes than its text
    const bytes = await readFile(join(repository.top, repository.prefix, path));
    const before = await headCommit();
    const name = await saved.keep({ path, before, bytes });
    log.debug({ path, text: name, before }, 'a text is kept that an update replaces');
    return { name, before };
  }

  /**
   * What is kept of an article, oldest first: another receiver's, perhaps, whose commits must not come later than those
   * of what has replaced it.
   */
  async function earlier(path: string): Promise<SavedText[]> {
    const texts = await Promise.all((await saved.names(path)).map(saved.read));
    return texts.filter((text) => text !== undefined);
  }

  /** Whether HEAD has what an article's file holds; false where git does not say so in time. */
  async function isAtHead(path: string): Promise<boolean> {
    const inRepository = `${repository.prefix}${path}`;
    try {
      const run = { accept: [1, 128], timeoutMs: HEAD_MS };
      const { code, stdout } = await repository.git(
        ['rev-parse', '-q', '--verify', `HEAD:${inRepository}`],
        run,
      );
      return code === 0 && (await blobsOnDisk(repository, inRepository)).has(stdout.trim());
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'git did not say what HEAD has');
      return false;
    }
  }

  async function headCommit(): Promise<string | null | undefined> {
    try {
      const run = { accept: [1, 128], timeoutMs: HEAD_MS };
      const { code, stdout } = await repository.git(['rev-parse', '-q', '--verify', 'HEAD^{commit}'], run);
      return code === 0 ? stdout.trim() : null;
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'git did not say where HEAD is');
      return undefined;
    }
  }

  /** A text for its commit; undefined where another receiver has seen to it, or where it is no article. */
  async function open(name: string, inRepository: string): Promise<OpenText | undefined> {
    const text = await saved.read(name);
    const stored = text && decode(text.path, text.bytes.toString('utf8'));
    if (text === undefined || stored === undefined) return undefined;
    return { ...stored, content: await contentOf(text, inRepository) };
  }

  async function contentOf({ bytes }: SavedText, inRepository: string) {
    const text = bytes.toString('utf8');
    if (Buffer.from(text).equals(bytes)) return text;
    return { blob: await blobOfBytes(repository, inRepository, bytes) };
  }

  /** Their commits are on this branch; what git has written for them is on the disk before they go. */
  async function committed(names: readonly string[], ref: string): Promise<void> {
    if (names.length === 0) return;
    await repository.syncDirectories(ref);
    for (const name of names) {
      unsettled.delete(name);
      await saved.drop(name);
      log.debug({ text: name }, 'a replaced text has its commit');
    }
  }

  /** What becomes of these is told later, when HEAD is back on a branch. */
  function wait(names: readonly string[]): void {
    for (const name of names) unsettled.add(name);
  }

  /** No commit was made for these: git has them already, or has gone past them. What cannot be told yet waits. */
  async function settle(names: readonly string[]): Promise<void> {
    wait(names);
    if (unsettled.size === 0) return;
    const judged = await judge([...unsettled]);
    for (const [text, standing] of judged ?? []) await letGo(text, standing);
  }

  function isEdit({ path, bytes }: SavedText): boolean {
    return decode(path, bytes.toString('utf8'))?.pristine !== true;
  }

  /** Lets go of a text that gets no commit. */
  async function letGo(text: SavedText, standing: Standing): Promise<void> {
    unsettled.delete(text.name);
    log.debug({ path: text.path, text: text.name, standing }, 'a replaced text gets no commit');
    if (standing === 'there' || !isEdit(text)) return saved.drop(text.name);
    const file = await saved.leave(text);
    log.warn({ path: text.path, file }, standing === 'staged' ? LEFT_STAGED : LEFT);
  }

  /** What git has of each; undefined while HEAD is away, or something is parked that must be on the branch first. */
  async function judge(names: readonly string[]): Promise<[SavedText, Standing][] | undefined> {
    const found = await Promise.all(names.map(saved.read));
    const texts = found.filter((text) => text !== undefined);
    for (const name of names) if (!texts.some((text) => text.name === name)) unsettled.delete(name);
    if (texts.length === 0) return [];
    const head = await readHead(repository);
    if ('waitingFor' in head || (await parkedTip(repository)) !== null) return undefined;
    const judged: [SavedText, Standing][] = [];
    for (let start = 0; start < texts.length; start += CHUNK)
      judged.push(...(await judgeAt(head.tip, texts.slice(start, start + CHUNK))));
    return judged;
  }

  async function judgeAt(tip: string | null, texts: readonly SavedText[]): Promise<[SavedText, Standing][]> {
    const places = await placeFiles(
      repository,
      texts.map(({ path }) => path),
    );
    const pathOf = ({ path }: SavedText) => {
      const place = places.get(path);
      return place !== undefined && 'inRepository' in place ? place.inRepository : undefined;
    };
    const paths = [...new Set(texts.flatMap((text) => pathOf(text) ?? []))];
    const atTip = await blobsAt(repository, tip, paths);
    // Another receiver may be at the index just now: before and after, so that what is its own is known for that.
    const notes = [await readIndexNotes(repository)];
    const staged = await stagedBlobs(repository, tip, new Set(paths));
    notes.push(await readIndexNotes(repository));

    async function standingOf(text: SavedText): Promise<Standing> {
      const path = pathOf(text);
      if (path === undefined) return 'gone past'; // ignored, say: nobody commits there
      const blob = await blobOf(text, path);
      if (atTip.get(path) === blob) return 'there';
      // by its owner, not by a Pressmark that was killed over it
      const isOwners = staged.get(path) === blob && !notes.some(({ isNoted }) => isNoted({ path, blob }));
      if (isOwners && isEdit(text)) return 'staged';
      const since = await changesSince(repository, text.before, tip, path);
      if (since === undefined) return 'gone past';
      if (since.before === blob || since.changes.some((change) => change.blob === blob)) return 'there';
      return since.changes.every(({ isOurs }) => isOurs) ? 'lacking' : 'gone past';
    }

    const judged: [SavedText, Standing][] = [];
    for (const text of texts) judged.push([text, await standingOf(text)]);
    return judged;
  }

  async function blobOf(text: SavedText, inRepository: string): Promise<string> {
    const content = await contentOf(text, inRepository);
    if (typeof content !== 'string') return content.blob;
    const [blob] = await blobsOf(repository, [{ path: inRepository, content }]);
    return blob?.id ?? blobId(repository, text.bytes);
  }

  /**
   * Whether git has a text that another receiver has kept, or something newer of somebody else's.
   *
   * @returns the commit that lacks it; `done` where none does, undefined where that cannot be told now.
   */
  async function lackedBy(name: string): Promise<{ readonly tip: string | null } | 'done' | undefined> {
    const head = await readHead(repository);
    const judged = await judge([name]);
    if (judged === undefined) return undefined;
    return judged[0]?.[1] === 'lacking' ? { tip: head.tip } : 'done';
  }

  /**
   * The start-up check: what it has found, behind the texts whose receiver was killed before it had committed them.
   *
   * @param names those that were kept before the articles' files were compared with the branch.
   * @param found the files that differ from the branch. A text is committed only before such a one: else the branch
   *   would end with what its file does not hold any more.
   */
  async function recovered(names: readonly string[], found: readonly Waiting[]): Promise<Waiting[]> {
    const waiting: Waiting[] = [];
    const judged = await judge(names);
    if (judged === undefined) wait(names);
    for (const [text, standing] of judged ?? []) {
      const next = found.find(({ path }) => path === text.path);
      if (standing !== 'lacking' || next === undefined || (isEdit(text) && !commitEdits))
        await letGo(text, standing);
      else waiting.push({ ...waitingText(text.path, text.name), before: next.before, isOthers: true });
    }
    const paths = new Set(waiting.map(({ path }) => path));
    for (const change of found) waiting.push(paths.has(change.path) ? { ...change, kind: 'Update' } : change);
    return waiting;
  }

  /** Nothing is committed here from now on: edits are left to their owners, for the rest git is not asked. */
  async function leaveAll(): Promise<void> {
    for (const name of await saved.names()) {
      const text = await saved.read(name);
      if (text !== undefined) await letGo(text, 'gone past');
    }
  }

  return {
    keep,
    isAtHead,
    earlier,
    open,
    drop: saved.drop,
    isOwn: saved.isOwn,
    committed,
    wait,
    settle,
    lackedBy,
    recovered,
    leaveAll,
    names: saved.names,
  };
}
