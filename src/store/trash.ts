import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { makeDirectory, syncDirectory, writeAtomically } from '../fs/atomic-write.js';

/** The folder below the state folder that has the articles in the trash, each in a file. */
const TRASH = 'trash';

/** An article that a person has removed, as it is kept. */
export interface TrashedFile {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  /** Below the content folder. */
  readonly path: string;
  /** The whole file. */
  readonly text: string;
  /** When it was removed, ISO 8601. */
  readonly at: string;
  /** Who has removed it. */
  readonly by: string;
  /** Where its URL leads now; null where the article is gone. */
  readonly redirect: string | null;
}

/** The articles in the trash, newest first; files that cannot be read are left out. */
export function trashedFiles(stateDir: string): TrashedFile[] {
  const folder = join(stateDir, TRASH);
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .filter((name) => /^[0-9a-f]{32}\.json$/.test(name))
    .flatMap((name) => read(join(folder, name)) ?? [])
    .sort((a, b) => (a.at < b.at ? 1 : -1));
}

/** Keeps an article; durable when it resolves. */
export async function keepTrashed(stateDir: string, file: TrashedFile): Promise<void> {
  makeDirectory(join(stateDir, TRASH));
  await writeAtomically(pathOf(stateDir, file.id), `${JSON.stringify(file)}\n`);
}

/** The article with this id; undefined where it is not in the trash. */
export function trashedFile(stateDir: string, id: string): TrashedFile | undefined {
  return read(pathOf(stateDir, id));
}

/** Forgets an article that is there again. */
export async function dropTrashed(stateDir: string, id: string): Promise<void> {
  fs.rmSync(pathOf(stateDir, id), { force: true });
  await syncDirectory(join(stateDir, TRASH));
}

function pathOf(stateDir: string, id: string): string {
  return join(stateDir, TRASH, `${hash('sha256', id).slice(0, 32)}.json`);
}

function read(path: string): TrashedFile | undefined {
  try {
    const value = JSON.parse(fs.readFileSync(path, 'utf8')) as TrashedFile;
    return typeof value.id === 'string' && typeof value.text === 'string' ? value : undefined;
  } catch {
    return undefined; // dropped just now
  }
}
