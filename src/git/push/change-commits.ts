import type { Hooks } from '../../host/hooks/hooks.js';
import type { Log } from '../../log.js';
import type { Removal, Write } from '../../store/write/article-files.js';
import { type AssetsOf, lackingAssets } from '../commit/assets.js';
import {
  buildCommits,
  type CommitStyle,
  modeOf,
  type NewVersion,
  writeText,
} from '../commit/build-commits.js';
import { removedKey, restoredKey } from '../commit/editors.js';
import { type CommitSettings, createMessages, kindOf } from '../commit/message.js';
import { identityOf, type Person } from '../identity.js';
import { entriesAt, type TreeEntry } from '../objects.js';
import type { Repository } from '../repository.js';

/** A change to commit: an article's new text, or its removal. */
export type Change = Write | Removal;

/** A change with its commit's whole message. */
export interface DescribedChange {
  readonly file: Change;
  readonly message: string;
}

export interface ChangeCommitsOptions extends CommitSettings {
  /** The content folder, relative to the site's folder, with forward slashes and one at its end. */
  readonly content: string;
  /** The files that belong to an article. */
  readonly assetsOf: AssetsOf;
  /** The person who made a revision; see `Editors`. */
  authorOf(revision: string): Person | undefined;
  readonly hooks: Pick<Hooks, 'applyFilters'>;
  readonly log: Log;
}

/** Makes commits of changes that are not in the work tree yet. */
export async function createChangeCommits(repository: Repository, options: ChangeCommitsOptions) {
  const { content, assetsOf, authorOf, hooks, log, author, sign = false, skipCi = false } = options;
  const folder = `${repository.prefix}${content}`;
  const style: CommitStyle = { identity: await identityOf(repository.git, author), sign };
  const makeMessage = createMessages({ hooks, log, template: options.message, skipCi });

  /** Makes the whole commit message of a change. */
  function describe(file: Change): Promise<string> {
    const { article, path } = file;
    const text = 'text' in file ? file.text : file.replaces;
    return makeMessage(personsKind(file) ?? kindOf(article), `${content}${path}`, { article, text });
  }

  /** Makes one commit for each change on top of the remote's tip. @returns their names. @throws PressmarkError GIT_FAILED. */
  async function build(tip: string | null, changes: readonly DescribedChange[]): Promise<string[]> {
    const replaced = changes.flatMap(({ file }) => (file.replaces === null ? [] : [`${folder}${file.path}`]));
    const before = await entriesAt(repository, tip, replaced);
    const lists = changes.map(async ({ file }) =>
      'text' in file ? assetsOf(file.article.id, file.text) : [],
    );
    const assets = await lackingAssets(repository, await Promise.all(lists));
    const versions = await Promise.all(
      changes.map(async (one, index) => ({
        ...(await versionOf(one, before)),
        ...(assets[index] && { assets: assets[index] }),
      })),
    );
    return buildCommits(repository, tip, versions, style);
  }

  async function versionOf(
    { file, message }: DescribedChange,
    before: ReadonlyMap<string, TreeEntry>,
  ): Promise<NewVersion> {
    const path = `${folder}${file.path}`;
    const version = { path, mode: modeOf(before.get(path)), message, author: personOf(file) };
    if (!('text' in file)) return { ...version, content: null };
    const { text } = file;
    const input = Buffer.from(text);
    // No filter applies here, so git can change only texts with CR.
    if (!text.includes('\r')) return { ...version, content: input };
    return { ...version, content: await writeText(repository, path, input) };
  }

  /** Returns the person who made a change; undefined if no person did. */
  function personOf(file: Change): Person | undefined {
    const kind = personsKind(file);
    const key = kind === 'Remove' ? removedKey : restoredKey;
    return authorOf(kind === undefined ? file.article.revision : key(`${content}${file.path}`));
  }

  return { describe, build };
}

/** Returns the kind of a change that a person makes to a whole file in the admin; undefined for a new text. */
function personsKind(file: Change): 'Remove' | 'Restore' | undefined {
  if (!('text' in file)) return 'Remove';
  return file.isRestored === true ? 'Restore' : undefined;
}
