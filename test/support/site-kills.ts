import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { createBuilder } from '../../src/site/builder/builder.js';
import { builtAnew, pathOf, siteIn, type TestSite } from '../integration/site/test-site.js';
import type { Random } from './random.js';

const BUILDER = fileURLToPath(new URL('../integration/site/builder-to-kill.js', import.meta.url));

/** The functions of node:fs with which a build changes the disk. */
const CHANGING = [
  'writeSync',
  'writeFileSync',
  'renameSync',
  'unlinkSync',
  'rmSync',
  'mkdirSync',
  'rmdirSync',
  'appendFileSync',
  'linkSync',
  'utimesSync',
] as const;

/** Calls a function before each change of the disk by this process. */
export function beforeDiskChanges(act: () => void): void {
  for (const name of CHANGING) {
    const original: unknown = Reflect.get(fs, name);
    if (typeof original !== 'function') throw new Error(`node:fs has no ${name}`);
    Reflect.set(fs, name, (...args: unknown[]) => {
      act();
      return Reflect.apply(original, fs, args);
    });
  }
}

/**
 * Starts a builder in its own process and waits for its first build.
 *
 * @param dieBefore the process kills itself before this change of the disk; the first change after the first build is 1.
 */
async function startBuilderProcess(dir: string, dieBefore: number): Promise<ChildProcess> {
  const child = fork(BUILDER, [dir, String(dieBefore)]);
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (message !== 'built')
    throw new Error(`the builder's process ended with ${String(message)} before its first build`);
  return child;
}

async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** The files of the output without temporary files, which a killed process may leave behind for a minute. */
function outputOf(site: TestSite): Record<string, string> {
  return Object.fromEntries(
    Object.entries(site.output()).filter(([file]) => !/(?:^|\/)\.pressmark-/.test(file)),
  );
}

/** Whether a file of a site has its end. */
function isWhole(file: string, text: string): boolean {
  if (file.endsWith('.html')) return /<\/html>\s*$/.test(text);
  if (file.endsWith('.xml')) return />\s*$/.test(text);
  if (file.endsWith('.json')) return /[}\]]\s*$/.test(text);
  return text !== '';
}

/** How many times the builder's process was killed during a build, and how many times after it. */
export interface SiteKills {
  readonly during: number;
  readonly after: number;
}

/** A little more than the number of changes that one of the builds below makes. */
const MOST_CHANGES = 90;

/**
 * Kills builds at random changes of the disk. After each kill no page is half, and the next complete build must make the
 * same site as a clean one.
 *
 * @param dir an empty folder.
 * @param isOver called before each kill with the earlier ones.
 * @throws Error with the files that differ.
 */
export async function killBuilds(
  dir: string,
  random: Random,
  isOver: (kills: SiteKills) => boolean,
): Promise<SiteKills> {
  const site = siteIn(dir, { pageSize: 2 });
  for (let n = 1; n <= 8; n++) changeArticle(site, `a${n}`, random);
  const kills = { during: 0, after: 0 };
  while (!isOver(kills)) {
    const dieBefore = random.integer(1, MOST_CHANGES);
    const child = await startBuilderProcess(dir, dieBefore);
    const paths = Array.from({ length: random.integer(1, 5) }, () =>
      changeArticle(site, `a${random.integer(1, 13)}`, random),
    );
    const built = once(child, 'message').then(() => 'after' as const);
    const ended = once(child, 'exit').then(() => 'during' as const);
    child.send(paths);
    kills[await Promise.race([built, ended])]++;
    await killProcess(child);
    const torn = Object.entries(outputOf(site)).flatMap(([file, text]) =>
      isWhole(file, text) ? [] : [file],
    );
    if (torn.length > 0)
      throw new Error(
        `after a kill before change ${dieBefore} each file should be whole: ${torn.join(', ')}`,
      );
    // Sometimes the articles change before the next build, so that the interrupted build is out of date.
    if (random.chance(0.3)) changeArticle(site, `a${random.integer(1, 13)}`, random);

    const next = createBuilder(site.options);
    await next.build('all');
    await next.close();
    const [found, expected] = [outputOf(site), await builtAnew(site.options)];
    const differing = [...new Set([...Object.keys(found), ...Object.keys(expected)])].filter(
      (file) => found[file] !== expected[file],
    );
    if (!isDeepStrictEqual(differing, []))
      throw new Error(
        `after a kill before change ${dieBefore} the next build should make the same site as a clean one; these files differ: ${differing.join(', ')}`,
      );
  }
  return kills;
}

/** Writes or removes an article. @returns its path below the content folder. */
function changeArticle(site: TestSite, slug: string, random: Random): string {
  if (random.chance(0.2)) {
    fs.rmSync(join(site.options.content.root, pathOf(slug)), { force: true });
    return pathOf(slug);
  }
  return site.write(slug, {
    date: `2026-01-${String(random.integer(10, 29))}T08:00:00Z`,
    title: `Title ${random.integer(0, 1_000)}`,
    tags: [`t${random.integer(0, 4)}`],
  });
}
