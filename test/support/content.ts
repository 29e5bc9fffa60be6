import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { decode, type StoredArticle } from '../../src/article/codec.js';

/** Every file and folder below `dir`, relative, sorted. */
export function namesIn(dir: string): string[] {
  return fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort();
}

/** The content folder to the last byte and time stamp; equal before and after where nothing was written. */
export function treeOf(site: string): string[] {
  const root = join(site, 'content');
  return namesIn(root).map((name) => {
    const path = join(root, name);
    const { ino, mode, size, mtimeMs, ctimeMs } = fs.statSync(path);
    const digest = fs.statSync(path).isFile() ? hash('sha256', fs.readFileSync(path)) : 'folder';
    return [name, ino, mode, size, mtimeMs, ctimeMs, digest].join(' ');
  });
}

/** The paths of all article files, absolute. */
export function articleFiles(site: string): string[] {
  const root = join(site, 'content');
  return namesIn(root)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(root, name));
}

/** What unfinished work would leave behind: names in the content folder that are no article's, and temp files. */
export function debris(site: string): string[] {
  const root = join(site, 'content');
  const strange = namesIn(root).filter(
    (name) => !name.endsWith('.md') && fs.statSync(join(root, name)).isFile(),
  );
  // in build/ the builder is at work, whose own debris the tests of the site look for
  const temps = namesIn(join(site, '.pressmark')).filter((name) => /^(?!build\/).*\.tmp$/.test(name));
  return [...strange, ...temps];
}

/** An article's file, found by the id in its front matter, as a person would find it. */
export function fileOf(site: string, id: string): string {
  const line = `\nid: ${JSON.stringify(id)}\n`;
  const found = articleFiles(site).filter((path) => fs.readFileSync(path, 'utf8').includes(line));
  const [path] = found;
  if (path === undefined || found.length !== 1) throw new Error(`${found.length} files carry the id ${id}`);
  return path;
}

/** A stored article, decoded. */
export function readStored(path: string): StoredArticle {
  return decode(fs.readFileSync(path, 'utf8'), {
    id: 'none',
    slug: 'none',
    url: () => 'https://none.example/',
  });
}

/** What a text's revision is called, as any receiver would. */
export function revisionOf(text: string): string {
  return decode(text, { id: '', slug: '', url: () => '' }).article.revision;
}

/** A person's edit: the file saved in place with one text replaced by another. */
export function edit(path: string, from: string, to: string): void {
  const text = fs.readFileSync(path, 'utf8');
  if (!text.includes(from)) throw new Error(`${path} does not say ${from}`);
  fs.writeFileSync(
    path,
    text.replace(from, () => to),
  );
}
