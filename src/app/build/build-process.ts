// The process that builds a site with its own generator in the background; `start-build-process.ts` starts it.
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { loadSettings, type Settings } from '../../config/load.js';
import { type BuildWish, createSiteBuild, type SiteBuild } from '../../deploy/build/build-site.js';
import { buildFolder } from '../../deploy/build/build-state.js';
import type { GeneratedSite } from '../../deploy/build/copy-builds.js';
import type { BuildAnswer } from '../../deploy/build-plugin.js';
import { buildPreview } from '../../deploy/preview/preview-build.js';
import { isRelease } from '../../deploy/releases.js';
import { runShellCommand } from '../../deploy/run-shell-command.js';
import { messageOf, PressmarkError } from '../../errors.js';
import { lowerPriority } from '../../fs/process-priority.js';
import { openRepository } from '../../git/repository.js';
import type { PreviewPage, StoredDraft } from '../../host/admin/preview-service.js';
import { guardAgainstPlugins } from '../../host/guard.js';
import { describeError } from '../../log.js';
import { generatorOf } from '../content/content.js';
import { contentPrefix, foldersOf } from '../content/folders.js';
import { existingAddresses } from './addresses/addresses.js';
import { buildCommandOf, buildLock, notCopied } from './generator-build.js';
import { ignoreLink, trackedOutput, tracksOutput } from './output-in-git.js';
import {
  BUILD_VARIABLE,
  completeSite,
  type DeliveredFile,
  deliveredArticles,
  type MalformedFile,
} from './postbuild.js';

/** A message from the receiver to the process that builds its site. */
export type BuildMessage =
  | ({ readonly kind: 'build' } & BuildWish)
  | { readonly kind: 'addresses' }
  | { readonly kind: 'preview'; readonly draft: StoredDraft; readonly base: string };

/** A line for the receiver's log. */
export interface LoggedLine {
  readonly kind: 'logged';
  readonly line: string;
}

/** The number of known addresses of existing posts. */
export interface AddressAnswer {
  readonly kind: 'addresses';
  /** Whether the generator was asked. */
  readonly asked: boolean;
  readonly listed: number;
  readonly unlisted: number;
  readonly contradiction?: string;
}

lowerPriority(process.pid); // deliveries go first

const log = pino({ level: 'warn', base: null, serializers: { err: describeError } }, { write: say });
const guard = guardAgainstPlugins(log);

const stop = new AbortController();
let site: SiteBuild | undefined;
let building: Promise<void> = Promise.resolve();

process.once('disconnect', end); // the receiver was killed
process.once('SIGTERM', end);
process.on('message', (message: BuildMessage) => {
  building = building.then(async () => {
    const answer = await answerTo(message, stop.signal).catch(
      (error: unknown): BuildAnswer => ({ kind: 'error', reason: messageOf(error) }),
    );
    process.send?.(answer);
  });
});

async function answerTo(
  message: BuildMessage,
  signal: AbortSignal,
): Promise<BuildAnswer | AddressAnswer | PreviewPage> {
  switch (message.kind) {
    case 'build':
      return build(signal, message);
    case 'preview':
      return preview(message, signal);
    case 'addresses':
      return addresses(signal);
  }
}

/** Sends a line to the receiver's log. */
function say(line: string): void {
  process.send?.({ kind: 'logged', line } satisfies LoggedLine);
}

async function end(): Promise<void> {
  stop.abort();
  await building;
  site?.close();
  guard.exit(0);
}

function ownSettings(): Promise<Settings> {
  return loadSettings(process.argv[2] ?? '.');
}

async function build(signal: AbortSignal, wish: BuildWish): Promise<BuildAnswer> {
  const settings = await ownSettings();
  const { stateDir } = foldersOf(settings);
  fs.mkdirSync(buildFolder(stateDir), { recursive: true });
  const lock = buildLock(stateDir);
  await lock.enter();
  try {
    site ??= await openSiteBuild(settings);
    const outcome = await site.build(signal, wish);
    return outcome.kind === 'failed' ? outcome : { ...outcome, ...(await listed(settings, signal)) };
  } finally {
    lock.leave();
    lock.close();
  }
}

/** Asks the generator for the addresses of existing posts, if the site is built elsewhere. */
async function addresses(signal: AbortSignal): Promise<AddressAnswer> {
  const { listed, unlisted, asked, contradiction } = await existingAddresses(await ownSettings(), { signal });
  return {
    kind: 'addresses',
    asked,
    listed: listed.size,
    unlisted: unlisted.size,
    ...(contradiction !== undefined && { contradiction }),
  };
}

/** Builds a preview in a copy of its own, so that builds and deploys are not delayed. */
async function preview(
  { draft, base }: Extract<BuildMessage, { kind: 'preview' }>,
  signal: AbortSignal,
): Promise<PreviewPage> {
  const settings = await ownSettings();
  const { siteUrl } = settings;
  return buildPreview(await generatedSite(settings), draft, { siteUrl, base }, signal);
}

/** Asks the generator for the addresses of existing posts after a good build. @returns the lines for the log. */
async function listed(
  settings: Settings,
  signal: AbortSignal,
): Promise<{ readonly addresses: string } | undefined> {
  try {
    const { contradiction } = await existingAddresses(settings, {
      copy: site?.copyDir(),
      isUpToDate: true,
      signal,
    });
    return contradiction === undefined ? undefined : { addresses: contradiction };
  } catch (error) {
    return signal.aborted ? undefined : { addresses: messageOf(error) };
  }
}

/** How long a git command may take, in milliseconds. At the lowest priority, it may wait long on a busy machine. */
const GIT_MS = 300_000;

async function openSiteBuild(settings: Settings): Promise<SiteBuild> {
  const { dir, output } = settings;
  const options = await generatedSite(settings);
  const { repository } = options;
  if (repository !== undefined && (await tracksOutput(repository, dir, output)))
    throw new PressmarkError('CONFIG_INVALID', `${trackedOutput(output).text}; ${trackedOutput(output).fix}`);
  const kept = toKeep(join(dir, output));
  if (kept !== undefined)
    throw new PressmarkError(
      'CONFIG_INVALID',
      `${output} is ${kept}, which builds would replace by a symbolic link to their output; have the generator write another folder and set "output" to it, or leave all builds to you with build: { background: false }`,
    );
  if (repository !== undefined) await ignoreLink(repository, output);
  const prefix = contentPrefix(settings);
  return createSiteBuild({
    ...options,
    complete: (siteDir, built, excluded, signal) => {
      const paths = [...excluded].map((path) => path.slice(prefix.length));
      return completeSite(settings, built, { siteDir, excluded: new Set(paths), signal });
    },
  });
}

async function generatedSite(settings: Settings): Promise<GeneratedSite> {
  const generator = generatorOf(settings)?.generator;
  if (generator === undefined)
    throw new PressmarkError('USAGE', 'the generator is plain: Pressmark builds this site itself');
  const { dir, output, environment, buildTimeoutMs: timeoutMs } = settings;
  const opened = await openRepository(dir, environment, { timeoutMs: GIT_MS });
  const repository = opened.kind === 'none' ? undefined : opened;
  const prefix = contentPrefix(settings);
  return {
    siteDir: dir,
    content: settings.content,
    stateDir: foldersOf(settings).stateDir,
    command: buildCommandOf(settings),
    output,
    except: notCopied(settings, generator),
    env: environment,
    variables: { [BUILD_VARIABLE]: '1' },
    ...(repository !== undefined && { repository }),
    timeoutMs,
    runShellCommand,
    articleSources(siteDir) {
      const malformed: MalformedFile[] = [];
      const all = [...deliveredArticles(settings, siteDir, (file) => malformed.push(file))];
      const placed = <File extends { readonly path: string }>(file: File) => ({
        ...file,
        path: `${prefix}${file.path}`,
      });
      const isHidden = ({ state }: DeliveredFile) => ['held', 'scheduled', 'expired'].includes(state);
      return {
        articles: all.filter((article) => !isHidden(article)).map(placed),
        malformed: malformed.filter(({ isBrokenArticle }) => isBrokenArticle).map(placed),
        hidden: all.filter(isHidden).map((article) => placed(article).path),
      };
    },
  };
}

/**
 * What is at the output folder that builds must not replace: a mount point cannot be, and a web server may read the target of
 * the owner's own link. Undefined if they may.
 */
function toKeep(path: string): string | undefined {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true && stat.dev !== fs.statSync(dirname(path)).dev) return 'a mount point';
  const isOthers =
    stat?.isSymbolicLink() === true && !isRelease(fs.readlinkSync(path)) && fs.existsSync(path);
  return isOthers ? 'a symbolic link of your own' : undefined;
}
