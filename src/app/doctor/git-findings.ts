import fs from 'node:fs';
import { join, relative } from 'node:path';
import type { Settings } from '../../config/load.js';
import { messageOf } from '../../errors.js';
import { type Branch, type NotNow, readHead } from '../../git/commit/head.js';
import { replacedFiles } from '../../git/commit/replaced-texts.js';
import { lastingLocks } from '../../git/commit/stale-locks.js';
import { checkContentFolder, committableTree } from '../../git/content-folder.js';
import { CHECK_IGNORE } from '../../git/git.js';
import { identityOf } from '../../git/identity.js';
import { commitAt } from '../../git/objects.js';
import { wordsOf } from '../../git/push/push-status.js';
import { createRemote, type Remote } from '../../git/push/remote.js';
import { type NoRepository, openRepository, type Repository } from '../../git/repository.js';
import type { ContentFolder } from '../../store/catalog/content-folder.js';
import { isArticlePath } from '../../store/catalog/scan.js';
import { contentOf } from '../content/content.js';
import { contentPrefix, foldersOf } from '../content/folders.js';
import { checkGitSettings, isPushed, pushConfig } from '../git-settings.js';
import { checked, type Finding, fail, ok, warn } from './finding.js';

const about = 'git';

/** After which time a stored file should be committed, in milliseconds. */
const LONG_MS = 5_000;

/** The highest number of uncommitted files to read. */
const MOST_READ = 1_000;

/**
 * Whether stored articles will be committed, and what prevents it.
 *
 * @param restart the reason why a running receiver commits nothing, from the status.
 */
export async function gitFindings(
  settings: Settings,
  restart: string | undefined,
): Promise<readonly Finding[]> {
  const refused = await checked(about, async () => void checkGitSettings(settings));
  if (refused.length > 0) return refused;
  const repository = await openRepository(settings.dir, settings.environment);
  try {
    return [
      ...(await commitFindings(repository, settings, restart)),
      ...(repository.kind === 'none' ? [] : await secretFile(repository, settings)),
    ];
  } catch (error) {
    const fix = 'run git status in the site’s folder, and fix what it reports';
    return [fail(about, reasonOf(error), fix)];
  }
}

async function commitFindings(
  repository: Repository | NoRepository,
  settings: Settings,
  restart: string | undefined,
): Promise<readonly Finding[]> {
  const copy = 'copy what you need from the file, and remove it';
  if (settings.git === false)
    return [ok(about, 'switched off in the config; nothing is committed'), ...replaced(settings, copy)];
  if (repository.kind === 'none')
    return [
      ...(settings.durability === 'disk' ? [notCommitted(repository)] : await refusedLevel(settings)),
      ...replaced(settings, copy),
    ];
  const author = typeof settings.git === 'object' ? settings.git.author : undefined;
  const { author: who } = await identityOf(repository.git, author);
  const head = await readHead(repository);
  return [
    ...(restart === undefined ? [branch(head, settings)] : []),
    ...(head.kind === 'branch' ? await uncommitted(repository, settings) : []),
    ...locks(repository),
    ...replaced(settings, `put the text back with pressmark revert, or ${copy}`),
    ...(await content(repository, settings)),
    ok(about, `commits are by ${who.name} <${who.email}>`),
  ];
}

function notCommitted({ because, unexpected }: NoRepository): Finding {
  const remedy = unexpected
    ? 'correct that'
    : 'run git init in the site’s folder (install git, if it is missing)';
  return warn(about, `articles are not committed: ${because}`, `${remedy}, or set git: false in the config`);
}

function branch(head: Branch | NotNow, { durability }: Settings): Finding {
  if (head.kind === 'branch')
    return ok(about, `articles are committed to ${head.ref.replace('refs/heads/', '')}`);
  const fix = 'finish or abort what is unfinished, or check out a branch';
  const text = `commits wait for ${head.waitingFor}`;
  return durability === 'disk'
    ? warn(about, `${text}; new articles are committed afterwards`, fix)
    : fail(about, `${text}, and deliveries are refused until then`, fix);
}

/** Stored articles that are uncommitted after a while. The owner's edits are not counted. */
async function uncommitted({ git, prefix }: Repository, settings: Settings): Promise<Finding[]> {
  const content = contentOf(settings);
  const folder = `${prefix}${contentPrefix(settings)}`;
  const list = ['ls-files', '-z', '--others', '--modified'];
  const { stdout } = await git([...list, ...(folder === '' ? [] : ['--', folder])]);
  const paths = [...new Set(stdout.split('\0').filter((path) => path !== ''))];
  const articles = paths.filter((path) => isArticlePath(content, path.slice(folder.length)));
  const stored = articles.slice(0, MOST_READ).filter((path) => isStored(content, path.slice(folder.length)));
  const [first] = stored;
  if (first === undefined) return [];
  const count = stored.length === 1 ? '1 stored article is' : `${stored.length} stored articles are`;
  return [
    warn(
      about,
      `${count} not committed, such as ${first.slice(prefix.length)}`,
      'restart the receiver, which commits the articles that it has stored; if .gitignore excludes the file, allow it there first; if you have renamed the file, commit it yourself',
    ),
  ];
}

/** Whether a file holds a delivered article, unedited, and has for a while. */
function isStored(content: ContentFolder, path: string): boolean {
  const file = join(content.root, path);
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat === undefined || Date.now() - stat.mtimeMs < LONG_MS) return false;
  try {
    const { edited, digest } = content.format.decode(fs.readFileSync(file, 'utf8'), path);
    return !edited && digest !== undefined;
  } catch {
    return false; // the findings on articles name what is malformed
  }
}

/** Lock files that keep Pressmark from committing. */
function locks(repository: Repository): Finding[] {
  return lastingLocks(repository).map((lock) =>
    warn(
      about,
      `commits wait while ${relative(repository.top, lock)} is there`,
      'let the git command that holds it end; if no git command is running, remove the file',
    ),
  );
}

/** Texts that updates replaced before they were committed. Only the owner knows whether they are still needed. */
function replaced(settings: Settings, fix: string): Finding[] {
  const { stateDir } = foldersOf(settings);
  return replacedFiles(stateDir).map((file) => {
    const path = relative(settings.dir, join(stateDir, file));
    return warn(about, `an update has replaced a text that was not committed; it is kept in ${path}`, fix);
  });
}

/** Whether articles can be committed in the content folder. Refusals of the start are failures here. */
async function content(repository: Repository, settings: Settings): Promise<readonly Finding[]> {
  const { durability } = settings;
  const prefix = contentPrefix(settings);
  const folder = prefix || './';
  const place = await checkContentFolder(repository, prefix);
  if (place.kind === 'refused') {
    const level = durability === 'disk' ? 'warn' : 'fail';
    const text = `articles in ${folder} are not committed: ${place.why}`;
    const fix = `correct that (if .gitignore excludes ${folder}, allow it there), or set git: false in the config`;
    return [{ level, about, text, fix }];
  }
  return refusedLevel(settings);
}

/** The refusal of a durability level that needs git. */
async function refusedLevel(settings: Settings): Promise<readonly Finding[]> {
  const { durability, dir: siteDir, environment: env } = settings;
  if (durability === 'disk') return [];
  const options = { siteDir, content: contentPrefix(settings), env };
  return checked(about, async () => void (await committableTree(options, durability)));
}

/** The secret must not be in git, whether Pressmark commits or not. */
async function secretFile({ git, prefix }: Repository, settings: Settings): Promise<Finding[]> {
  if (!fs.existsSync(join(settings.dir, '.env'))) return [];
  const path = `${prefix}.env`;
  const { stdout: tracked } = await git(['ls-files', '--', path]);
  if (tracked !== '')
    return [
      fail(
        about,
        '.env, which holds the secret, is in the repository',
        'take it out with git rm --cached .env, add it to .gitignore and commit that; let the service issue a new secret, as the history keeps the old one',
      ),
    ];
  const { code } = await git([...CHECK_IGNORE, '-q', '--', path], { accept: [1] });
  if (code === 0) return [];
  return [fail(about, '.env, which holds the secret, is not ignored', 'add .env to .gitignore')];
}

/** Git's own message: the reader of doctor may see paths of the machine. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${messageOf(cause)}`;
}

/** Whether the remote answers, and how many commits wait. The last error is in the status. */
export async function pushFindings(settings: Settings): Promise<Finding[]> {
  // The findings about git have said why nothing can be pushed.
  if (!isPushed(settings) || settings.git === false) return [];
  const repository = await openRepository(settings.dir, settings.environment);
  if (repository.kind === 'none') return [];
  try {
    const remote = await createRemote(repository, pushConfig(settings), settings.environment);
    const tip = await remote.fetch(null);
    return [ok('push', `${remote.name} answers`), ...(await waiting(repository, remote, tip, settings))];
  } catch (error) {
    const fix =
      'run git fetch and git push by hand, as the user who runs Pressmark; they have to work without asking for a password';
    return [fail('push', wordsOf(error), fix)];
  }
}

/** How many commits HEAD is ahead of the remote's branch. */
async function waiting(
  repository: Repository,
  { ref, name }: Remote,
  tip: string | null,
  { durability }: Settings,
): Promise<Finding[]> {
  const { git } = repository;
  const branch = ref.replace('refs/heads/', '');
  if ((await commitAt(repository, 'HEAD')) === null) return [ok('push', 'there is no commit to push yet')];
  const not = tip === null ? [] : ['--not', tip];
  const { stdout } = await git(['rev-list', '--count', 'HEAD', ...not]);
  const count = Number(stdout);
  if (count === 0) return [ok('push', `everything is pushed to ${branch}`)];
  const commits = count === 1 ? '1 commit is' : `${count} commits are`;
  const missing = tip === null ? `: ${name} has no branch ${branch} yet` : '';
  const fix = durability === 'push' ? 'git push' : 'start the receiver, which pushes them, or git push';
  return [warn('push', `${commits} not pushed to ${branch}${missing}`, fix)];
}
