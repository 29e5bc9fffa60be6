import fs from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { editFrontMatter } from '../../article/front-matter/edit.js';
import { readFrontMatter } from '../../article/front-matter/read.js';
import type { Settings } from '../../config/load.js';
import { runBuild } from '../../deploy/build/run-build.js';
import { type NotProven, proveAddresses, type UnpinnedFile } from '../../deploy/trial/prove-addresses.js';
import { messageOf, PressmarkError } from '../../errors.js';
import { readText } from '../../fs/read-text.js';
import { openRepository } from '../../git/repository.js';
import type { Log } from '../../log.js';
import { ADDRESSES } from '../../store/catalog/addresses.js';
import { decodeAt, isGone, isUnreadable } from '../../store/catalog/entry.js';
import { walk } from '../../store/catalog/scan.js';
import { addressSourcesOf, contentOf, generatorOf, type SiteGenerator } from '../content/content.js';
import { foldersOf } from '../content/folders.js';

/** How the addresses of existing posts are proven. */
export interface AddressOptions {
  /** Proves all addresses anew. @default false */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
  /** Called before each trial build: of two, or of three where the second one fails. */
  onBuild?(build: number): void;
}

/** What is known of the addresses of files that do not pin them. */
export interface ExistingAddresses {
  /** The number of files whose addresses are proven. */
  readonly proven: number;
  /** Why the others have none, by the file's path below the content folder. */
  readonly unproven: ReadonlyMap<string, NotProven>;
  /** Whether the site was built to find out. */
  readonly built: boolean;
}

/**
 * Proves the addresses of the article files that do not pin theirs, by trial builds of a copy of the site where what was
 * proven before does not hold any more. Where Pressmark itself builds the site, there is nothing to prove.
 *
 * @throws PressmarkError USAGE where the config names no build command and one is needed; BUILD_FAILED; SITE_TOO_LARGE.
 */
export async function existingAddresses(
  settings: Settings,
  options: AddressOptions = {},
): Promise<ExistingAddresses> {
  const site = generatorOf(settings);
  const files = site === undefined ? [] : await unpinnedFiles(settings);
  if (site === undefined || files.length === 0) return { proven: 0, unproven: new Map(), built: false };
  const { proofs, built } = await prove(settings, site, files, options);
  const unproven = proofs.flatMap((proof) =>
    proof.kind === 'unproven' ? [[proof.path, proof.reason] as const] : [],
  );
  return { proven: proofs.length - unproven.length, unproven: new Map(unproven), built };
}

const FILES_PER_TURN = 100;

/** The files that do not pin their addresses, malformed ones among them; the start and `doctor` report unreadable ones. */
async function unpinnedFiles(settings: Settings): Promise<UnpinnedFile[]> {
  const content = contentOf(settings);
  const files: UnpinnedFile[] = [];
  let read = 0;
  for (const path of walk(content)) {
    if (read++ % FILES_PER_TURN === 0) await nextTurn(); // deliveries may be waiting
    const text = textOf(join(content.root, path));
    if (text === undefined) continue;
    if (!isPinned(() => decodeAt(content, path, text).address === undefined)) files.push({ path, text });
  }
  return files;
}

function textOf(path: string): string | undefined {
  try {
    return readText(path).text;
  } catch (error) {
    if (isGone(error) || isUnreadable(error)) return undefined;
    throw error;
  }
}

function isPinned(decode: () => boolean): boolean {
  try {
    return decode();
  } catch (error) {
    if (error instanceof PressmarkError) return false; // its front matter cannot be read
    throw error;
  }
}

async function prove(
  settings: Settings,
  site: SiteGenerator,
  files: readonly UnpinnedFile[],
  options: AddressOptions,
) {
  const { dir, environment, buildTimeoutMs: timeoutMs } = settings;
  const { mapping } = site;
  const { stateDir } = foldersOf(settings);
  const repository = await openRepository(dir, environment);
  return await proveAddresses(files, {
    ...options,
    ...addressSourcesOf(settings, site),
    cacheFile: join(stateDir, ADDRESSES),
    mapping,
    frontMatter: { read: readFrontMatter, edit: editFrontMatter },
    command: () => buildCommandOf(settings),
    env: environment,
    runBuild,
    timeoutMs,
    now: new Date(),
    ...(repository.kind === 'repository' && { repository }),
  });
}

/**
 * Proves addresses while a receiver that has just started is running, so that lookups find posts which changed while none ran.
 *
 * @returns a function that ends it.
 */
export function proveInBackground(settings: Settings, log: Log): () => Promise<void> {
  const controller = new AbortController();
  const proving = existingAddresses(settings, { signal: controller.signal }).then(
    ({ proven, unproven, built }) => {
      if (built) log.info({ proven, unproven: unproven.size }, 'addresses of existing posts proven');
    },
    (error: unknown) => {
      if (controller.signal.aborted) return;
      log.warn(
        { reason: messageOf(error) },
        'the addresses of existing posts could not be proven; pressmark urls tries it again',
      );
    },
  );
  return async () => {
    controller.abort();
    await proving;
  };
}

/**
 * Whether a build should also find out the addresses of existing posts: they are for a receiver, and a build server that
 * starts from a fresh clone every time has none.
 */
export function wantsAddresses(settings: Settings): boolean {
  const isBuildServer = !['', '0', 'false', undefined].includes(settings.environment.CI?.toLowerCase());
  return !isBuildServer || fs.existsSync(foldersOf(settings).stateDir);
}

/** The command that builds the site. @throws PressmarkError USAGE where the config has none. */
export function buildCommandOf({ build }: Pick<Settings, 'build'>): string {
  if (build !== undefined) return build;
  throw new PressmarkError(
    'USAGE',
    "the config has no build command; set \"build\", such as build: 'npm run build' or build: 'hugo'",
  );
}
