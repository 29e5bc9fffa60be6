import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { StoredArticle } from '../../../src/article/stored-article.js';
import { filesBelow } from '../../../src/fs/files-below.js';
import { articlesIn, gitEnvironment } from '../../support/clones.js';
import { articleFiles, debris } from '../../support/content.js';
import { decode } from '../../support/plain-files.js';
import { launch, type Receiver, type ReceiverOptions, run, SITE_URL } from '../../support/receiver.js';
import type { Sent } from './deliveries.js';

/** Which version of each article has been acknowledged: 0 is the publication, 1 the first update. */
export type Acknowledged = ReadonlyMap<string, number>;

const decoded = new WeakMap<Buffer, StoredArticle>();

/**
 * Checks that every acknowledged article is stored once, in the acknowledged version or a later one, that no article
 * file is torn, and that only sent articles are stored.
 *
 * @param files the article files.
 * @returns the broken promise as a sentence; undefined if there is none.
 */
export function faultInFiles(
  files: Iterable<{ readonly path: string; readonly content: Buffer }>,
  sent: readonly Sent[],
  acknowledged: Acknowledged,
): string | undefined {
  const byId = new Map(sent.map((one) => [one.id, one]));
  const versions = new Map<string, number>();
  for (const { path, content } of files) {
    let stored = decoded.get(content);
    try {
      stored ??= decode(content.toString());
    } catch (error) {
      return `every article file should be complete, but ${path} cannot be read: ${String(error)}`;
    }
    decoded.set(content, stored);
    const { id, revision } = stored.article;
    if (stored.edited) return `every article file should be complete, but ${path} does not match its digest`;
    const one = byId.get(id);
    if (one === undefined) return `only sent articles should be stored, but ${path} has the id ${id}`;
    if (versions.has(id)) return `${id} should be stored once, but ${path} is a second file with this id`;
    versions.set(id, 1 + one.updates.indexOf(revision));
  }
  for (const [id, version] of acknowledged) {
    const stored = versions.get(id);
    if (stored === undefined) return `${id} was acknowledged and should be stored, but it has no file`;
    if (stored < version)
      return `${id} was acknowledged as version ${version}, but its file has version ${stored}`;
  }
  return undefined;
}

/** Runs git without any settings of the machine. @returns its exit code and output. */
async function git(
  dir: string,
  ...args: string[]
): Promise<{ readonly code: number; readonly text: string }> {
  try {
    const options = { cwd: dir, env: { ...gitEnvironment(dir), GIT_OPTIONAL_LOCKS: '0' }, maxBuffer: 1e8 };
    const { stdout, stderr } = await promisify(execFile)('git', args, options);
    return { code: 0, text: `${stdout}${stderr}`.trim() };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    return { code: Number(code), text: `${stdout}${stderr}`.trim() };
  }
}

/**
 * Checks that the repository is intact.
 *
 * @param committed the articles that must be in HEAD; undefined if no commit was promised.
 * @returns the broken promise as a sentence; undefined if there is none.
 */
export async function faultInGit(
  dir: string,
  sent: readonly Sent[],
  committed: Acknowledged | undefined,
): Promise<string | undefined> {
  const content = ['HEAD', '--', 'content'];
  const [head, check, index, history] = await Promise.all([
    git(dir, 'rev-parse', '--verify', 'HEAD^{commit}'),
    git(dir, 'fsck', '--full', '--no-dangling', '--no-progress'),
    git(dir, 'diff-index', '--cached', '--no-abbrev', ...content),
    git(dir, 'log', '--raw', '--no-abbrev', '--format=', ...content),
  ]);
  if (head.code !== 0) return `HEAD should be a commit, but git says: ${head.text}`;
  const said = check.text.split('\n').filter((line) => line !== '' && !line.startsWith('notice: '));
  if (check.code !== 0 || said.length > 0)
    return `git fsck should find nothing, but ends with ${check.code}: ${said.join(' / ').slice(0, 2_000)}`;
  if (index.code !== 0) return `git should read the index, but says: ${index.text}`;
  for (const line of index.text.split('\n').filter(Boolean)) {
    const [, , , blob = '', , path] = line.split(/\s/);
    if (/^0+$/.test(blob) || history.text.includes(blob))
      return `the index should have ${path} as the branch has it, or newer: the owner’s next commit would undo the article`;
  }
  if (committed === undefined || committed.size === 0) return undefined;
  const newest = new Map<string, number>();
  for (const [path, text] of articlesIn(dir)) {
    if (!path.endsWith('.md')) continue;
    const { id, revision } = decode(text).article;
    const version = 1 + (sent.find((one) => one.id === id)?.updates.indexOf(revision) ?? -1);
    newest.set(id, Math.max(version, newest.get(id) ?? -1));
  }
  for (const [id, version] of committed) {
    const found = newest.get(id);
    if (found === undefined || found < version)
      return `${id} was acknowledged as version ${version} and should be committed, but git has ${found ?? 'nothing'}`;
  }
  return undefined;
}

/**
 * Whether a lock is that of a ref with a random name, which no other git will ever want. Such a lock stays where git could not
 * remove it; the next start of the machine does.
 */
function isOfNextRef(name: string): boolean {
  return name.startsWith(join('refs', 'worktree', 'pressmark'));
}

/** How long a restarted receiver may take for its background work. */
const CATCH_UP_MS = 60_000;

/** The site on which a receiver is restarted, and what must be there. */
export interface Restart {
  readonly dir: string;
  readonly sent: readonly Sent[];
  readonly acknowledged: Acknowledged;
  /** Whether pages are built. */
  readonly site: boolean;
  /** A folder for the clean build; it need not exist. */
  readonly workshop: string;
  /** The system calls that failed before, as strace prints them. A lock that git could not remove is the owner's to remove. */
  readonly failedCalls?: readonly string[];
}

/**
 * Starts a receiver on a site after a failure, and checks that every promise holds.
 *
 * @returns the broken promise as a sentence; undefined if there is none.
 */
export async function faultAfterRestart(restart: Restart): Promise<string | undefined> {
  const { dir, sent, acknowledged, site, failedCalls = [] } = restart;
  let receiver: Receiver;
  try {
    receiver = await start(dir);
  } catch (error) {
    return `the receiver should start on the remaining files, but: ${String(error)}`;
  }
  try {
    for (const { id, url, updates } of sent) {
      const version = acknowledged.get(id);
      if (version === undefined) continue;
      const found = await receiver.find(url ?? '');
      const looked = 1 + updates.indexOf(found.revision_id);
      if (found.id !== id || looked < version)
        return `${id} was acknowledged as version ${version}, but the lookup finds version ${looked} of ${found.id}`;
    }
    const wrong =
      (await lastingFault(async () => faultInCommits(dir))) ??
      (site ? await faultInPages(restart) : undefined) ??
      faultInFiles(contentsIn(dir), sent, acknowledged);
    if (wrong !== undefined) return wrong;
    const code = await receiver.stop();
    if (code !== 0) return `the receiver should stop with exit code 0, but ended with ${code}`;
    const locks = fs
      .readdirSync(join(dir, '.git'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.lock') && !isOfNextRef(name))
      .filter((name) => !failedCalls.some((call) => call.includes('unlink') && call.includes(`/${name}"`)));
    if (locks.length > 0) return `no lock file should remain in .git, but there is ${locks.join(', ')}`;
    const left = await debris(dir);
    if (left.length > 0) return `no temporary file should remain, but there is ${left.join(', ')}`;
    return faultInGit(dir, sent, acknowledged);
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}`;
  } finally {
    await receiver.kill('SIGKILL');
  }
}

/** Aborted when this process exits, so that no receiver outlives it. */
const exiting = new AbortController();
process.once('exit', () => exiting.abort());

/** Starts a receiver that does not outlive this process. */
export function start(dir: string, options: ReceiverOptions = {}): Promise<Receiver> {
  return launch(dir, { ...options, signal: exiting.signal });
}

/** Reads the article files of a site. */
export function* contentsIn(dir: string) {
  if (!fs.existsSync(join(dir, 'content'))) return;
  for (const path of articleFiles(dir)) yield { path, content: fs.readFileSync(path) };
}

async function faultInCommits(dir: string): Promise<string | undefined> {
  const status = await git(dir, 'status', '--porcelain', '--untracked-files=all', '--', 'content');
  if (status.code !== 0) return `git status should work, but says: ${status.text}`;
  if (status.text !== '')
    return `every article should be committed as it is, but git status says: ${status.text}`;
  return undefined;
}

/** Compares the pages with a clean build of the same articles in another folder. */
async function faultInPages({ dir, workshop }: Restart): Promise<string | undefined> {
  const clean = join(workshop, 'clean');
  fs.mkdirSync(clean, { recursive: true });
  for (const name of ['content', 'pressmark.config.json'])
    if (fs.existsSync(join(dir, name))) fs.cpSync(join(dir, name), join(clean, name), { recursive: true });
  const built = await run(['build', '--dir', clean], { PRESSMARK_SITE_URL: SITE_URL });
  if (built.code !== 0) return `the site should build, but: ${built.stderr}`;
  const expected = join(clean, 'public');
  const actual = join(dir, 'public');
  return lastingFault(async () => {
    const names = new Set([...filesBelow(expected), ...filesBelow(actual)]);
    names.delete('pagefind/pressmark.json'); // describes how Pressmark made the search index
    const wrong = [...names].filter((name) => !isSame(join(expected, name), join(actual, name)));
    if (wrong.length === 0) return undefined;
    return `the pages should be those of a clean build, but these are not: ${wrong.slice(0, 20).join(', ')}`;
  });
}

function isSame(one: string, other: string): boolean {
  if (!fs.existsSync(one) || !fs.existsSync(other)) return false;
  return fs.readFileSync(one).equals(fs.readFileSync(other));
}

/** Repeats a check for up to a minute. @returns the last fault; undefined as soon as there is none. */
async function lastingFault(check: () => Promise<string | undefined>): Promise<string | undefined> {
  for (const end = performance.now() + CATCH_UP_MS; ; await setTimeout(100)) {
    const fault = await check();
    if (fault === undefined || performance.now() > end) return fault;
  }
}
