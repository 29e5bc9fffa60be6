import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { StoredArticle } from '../../src/article/stored-article.js';
import { decode } from './plain-files.js';
import { until } from './until.js';

/** The relative paths of all files and folders below `dir`, sorted. */
export function namesIn(dir: string): string[] {
  return fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort();
}

/** Describes every file of the content folder with its times and digest. It changes whenever something was written. */
export function treeOf(site: string): string[] {
  const root = join(site, 'content');
  return namesIn(root).map((name) => {
    const path = join(root, name);
    const { ino, mode, size, mtimeMs, ctimeMs } = fs.statSync(path);
    const digest = fs.statSync(path).isFile() ? hash('sha256', fs.readFileSync(path)) : 'folder';
    return [name, ino, mode, size, mtimeMs, ctimeMs, digest].join(' ');
  });
}

/** The absolute paths of all article files; symbolic links are none. */
export function articleFiles(site: string): string[] {
  return fs
    .readdirSync(join(site, 'content'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

/** How long a temp file of a receiver that runs may be there, however slow the machine is, in milliseconds. */
const MOST_WAIT_MS = 15_000;

/**
 * Files that an interrupted write may leave behind: temporary files, and other files than articles in the content
 * folder.
 */
export async function debris(site: string): Promise<string[]> {
  // The receiver notes facts in the background, each for a moment in a temp file: debris is what stays. It may be in this process,
  // and one in another process may stand still for a while.
  let found = leftIn(site);
  for (const end = performance.now() + MOST_WAIT_MS; found.length > 0 && performance.now() < end; ) {
    await setTimeout(20);
    const left = leftIn(site);
    found = found.filter((name) => left.includes(name));
  }
  return found;
}

function leftIn(site: string): string[] {
  const root = join(site, 'content');
  const unexpected = namesIn(root).filter(
    (name) =>
      !name.endsWith('.md') && fs.statSync(join(root, name), { throwIfNoEntry: false })?.isFile() === true,
  );
  // build/ belongs to the builder, whose temporary files are checked by the tests of the site
  const temps = namesIn(join(site, '.pressmark')).filter((name) => /^(?!build\/).*\.tmp$/.test(name));
  return [...unexpected, ...temps];
}

/** The path of an article's file, found by the id in its front matter. */
export function fileOf(site: string, id: string): string {
  const found = filesWith(site, id);
  const [path] = found;
  if (path === undefined || found.length !== 1) throw new Error(`${found.length} files carry the id ${id}`);
  return path;
}

function filesWith(site: string, id: string): readonly string[] {
  const line = `\nid: ${JSON.stringify(id)}\n`;
  return articleFiles(site).filter((path) => fs.readFileSync(path, 'utf8').includes(line));
}

/** The same, where an answer may come before the file: a machine that is busy writes it a little later. */
export async function fileOfSoon(site: string, id: string): Promise<string> {
  await until('the article is in the work tree', () => filesWith(site, id).length > 0);
  return fileOf(site, id);
}

/** Reads and decodes an article file. */
export function readStored(path: string): StoredArticle {
  return decode(fs.readFileSync(path, 'utf8'));
}

/** The revision of an article file's text. */
export function revisionOf(text: string): string {
  return decode(text).article.revision;
}

/** Replaces a text in a file and saves it in place, as a person's editor would. */
export function edit(path: string, from: string, to: string): void {
  const text = fs.readFileSync(path, 'utf8');
  if (!text.includes(from)) throw new Error(`${path} does not contain ${from}`);
  fs.writeFileSync(
    path,
    text.replace(from, () => to),
  );
}
