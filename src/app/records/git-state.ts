import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../config/load.js';
import { readFacts } from '../../deploy/facts.js';
import { readHead } from '../../git/commit/head.js';
import { replacedFiles } from '../../git/commit/replaced-texts.js';
import { uncommittedFiles } from '../../git/commit/uncommitted.js';
import { checkContentFolder } from '../../git/content-folder.js';
import { commitAt } from '../../git/objects.js';
import { readPushStatus } from '../../git/push/push-status.js';
import { FETCHED_REF } from '../../git/push/remote.js';
import { openRepository, type Repository } from '../../git/repository.js';
import type { GitService, GitState, ReplacedText } from '../../host/admin/site-services.js';
import type { ContentFolder } from '../../store/catalog/content-folder.js';
import { isArticlePath } from '../../store/catalog/scan.js';
import { contentOf } from '../content/content.js';
import { contentPrefix, foldersOf } from '../content/folders.js';
import { isPushed, PUSH_STATUS, pushConfig } from '../git-settings.js';

/** The highest numbers of files, commits and replaced texts to list. */
const [MOST_FILES, MOST_COMMITS, MOST_REPLACED] = [100, 50, 100];

/**
 * How long the state is reused, in milliseconds: git looks at every file of the content folder, which takes a while for 100,000
 * files.
 */
const REMEMBERED_MS = 5_000;

const NOTHING = { branch: null, waitingFor: null, uncommitted: [], uncommittedTotal: 0 };

/** Creates the service that reports the state of a site in git. */
export function createGitService(settings: Settings): GitService {
  const { stateDir } = foldersOf(settings);
  const content = contentOf(settings);
  const state = remembered(() => gitState(settings, content));

  async function replacedText(file: string): Promise<string | undefined> {
    return replacedFiles(stateDir).includes(file) ? readFile(join(stateDir, file), 'utf8') : undefined;
  }

  return { state, replacedText };
}

/** Caches the state of the site for a while. Simultaneous callers share one query. */
function remembered(look: () => Promise<GitState>): () => Promise<GitState> {
  let last: Promise<GitState> | undefined;
  const forget = () => {
    last = undefined;
  };
  return () => {
    if (last === undefined) {
      last = look();
      last.then(() => setTimeout(forget, REMEMBERED_MS).unref(), forget);
    }
    return last;
  };
}

async function gitState(settings: Settings, content: ContentFolder): Promise<GitState> {
  const { stateDir } = foldersOf(settings);
  const common = { commitError: readFacts(stateDir).commitError ?? null, replaced: replacedTexts(stateDir) };
  if (settings.git === false && settings.durability === 'disk')
    return { ...NOTHING, ...common, because: 'git: false in the config', push: null };
  const repository = await openRepository(settings.dir, settings.environment);
  if (repository.kind === 'none') return { ...NOTHING, ...common, because: repository.because, push: null };
  const [head, place, push] = await Promise.all([
    readHead(repository),
    checkContentFolder(repository, contentPrefix(settings)),
    isPushed(settings) ? pushState(settings, repository) : null,
  ]);
  const files =
    place.kind === 'inside' ? await uncommittedFiles(place, (path) => isArticlePath(content, path)) : [];
  return {
    ...common,
    because: place.kind === 'inside' ? null : place.why,
    branch: head.kind === 'branch' ? head.ref.replace('refs/heads/', '') : null,
    waitingFor: head.kind === 'branch' ? null : head.waitingFor,
    uncommitted: files.slice(0, MOST_FILES),
    uncommittedTotal: files.length,
    push,
  };
}

async function pushState(settings: Settings, repository: Repository): Promise<GitState['push']> {
  const status = readPushStatus(join(foldersOf(settings).stateDir, PUSH_STATUS));
  const { lastPush = null, lastError = null, isDeclined = false, waitingFor = null } = status ?? {};
  const pullRequest = status?.pullRequest ?? null;
  const isWaiting = status === undefined || status.waiting > 0 || lastError !== null || waitingFor !== null;
  const waiting = isWaiting ? await unpushedCommits(settings, repository) : [];
  return { lastPush, waiting, lastError, isDeclined, waitingFor, pullRequest };
}

/** The commits that the remote lacks, as far as is known here, newest first. */
async function unpushedCommits(
  settings: Settings,
  repository: Repository,
): Promise<NonNullable<GitState['push']>['waiting']> {
  if ((await commitAt(repository, 'HEAD')) === null) return [];
  const { remote = 'origin', branch } = pushConfig(settings);
  const head = await readHead(repository);
  const name = branch ?? (head.kind === 'branch' ? head.ref.replace('refs/heads/', '') : undefined);
  const refs = [FETCHED_REF, ...(name === undefined ? [] : [`refs/remotes/${remote}/${name}`])];
  const known = (await Promise.all(refs.map((ref) => commitAt(repository, ref)))).filter(
    (one) => one !== null,
  );
  const not = known.length === 0 ? [] : ['--not', ...known];
  const format = '--format=%H%x00%cI%x00%s%x01';
  const { stdout } = await repository.git(['log', `--max-count=${MOST_COMMITS}`, format, 'HEAD', ...not]);
  return stdout
    .split('\x01')
    .map((record) => record.trimStart().split('\0'))
    .flatMap(([commit = '', at = '', subject = '']) => (commit === '' ? [] : [{ commit, at, subject }]));
}

/** The texts that updates replaced before they were committed, newest first. */
function replacedTexts(stateDir: string): ReplacedText[] {
  return replacedFiles(stateDir)
    .map((file) => {
      const [, path = file, day = '', hour = '', minute = '', second = ''] =
        /^replaced\/(.+)\/(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d+Z)-[^/]+$/.exec(file) ?? [];
      return { file, path, at: `${day}T${hour}:${minute}:${second}` };
    })
    .filter(({ at }) => !Number.isNaN(Date.parse(at)))
    .sort((one, other) => (one.at < other.at ? 1 : -1))
    .slice(0, MOST_REPLACED);
}
