import { changesIn, contentsOf } from './objects.js';
import type { Repository } from './repository.js';

/** An article that the history has and the work tree does not. */
export interface HistoricArticle {
  readonly id: string;
  readonly url: string;
}

export interface DeletedInHistoryOptions {
  readonly repository: Repository;
  /** Reads a text that an article's file (relative to the site's folder) has held; undefined where it is malformed. */
  readonly decode: (path: string, text: string) => { readonly article: HistoricArticle } | undefined;
  /** Whether an article with this id is there. */
  readonly isThere: (id: string) => boolean;
}

/** The trailer of an article's commit. */
const TRAILER = '(trailers:key=Article-Id,valueonly,separator=%x2C)';

/** How many commits are looked at together. */
const CHUNK = 500;

/**
 * The articles that Pressmark has committed and that are not there any more, as far back as the clone goes.
 *
 * @throws PressmarkError GIT_FAILED.
 */
export async function deletedInHistory(options: DeletedInHistoryOptions): Promise<HistoricArticle[]> {
  const { repository, decode, isThere } = options;
  const { git, prefix } = repository;
  if ((await git(['rev-parse', '--verify', '-q', 'HEAD'], { accept: [1] })).code !== 0) return [];
  // Without what they changed, as nearly all of these articles are there.
  const { stdout } = await git(['log', '-z', `--format=%H %${TRAILER}`, '--grep=^Article-Id: ', 'HEAD'], {
    timeoutMs: 300_000,
  });
  const last = new Map<string, string>();
  for (const line of stdout.split('\0')) {
    const [commit = '', ...rest] = line.split(' ');
    const id = idIn(rest.join(' ').trim());
    if (id !== undefined && !isThere(id) && !last.has(id)) last.set(id, commit);
  }
  const found: HistoricArticle[] = [];
  const commits = [...last.values()];
  for (let start = 0; start < commits.length; start += CHUNK) {
    const input = commits.slice(start, start + CHUNK).map((commit) => `${commit}\n`);
    const command = ['diff-tree', '--stdin', '-r', '-z', '--root', '--no-commit-id', '--raw', '--no-renames'];
    const { stdout } = await git(command, { input: input.join('') });
    const files = changesIn(stdout).flatMap(({ path, after }) =>
      after === null || !path.startsWith(prefix) ? [] : [{ path: path.slice(prefix.length), blob: after.id }],
    );
    const texts = await contentsOf(
      repository,
      files.map(({ blob }) => blob),
    );
    for (const { path, blob } of files) {
      const article = decode(path, texts.get(blob)?.toString('utf8') ?? '')?.article;
      if (article !== undefined && last.has(article.id)) found.push({ id: article.id, url: article.url });
    }
  }
  return found;
}

/** The id in a trailer, which is quoted where it would not fit a line as it is. */
function idIn(value: string): string | undefined {
  if (value === '') return undefined;
  if (!value.startsWith('"')) return value;
  try {
    const id: unknown = JSON.parse(value);
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined; // a person's own trailer
  }
}
