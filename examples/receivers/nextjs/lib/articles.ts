/** An article is a JSON file in articles/, named <slug>.<hash of its id>.json: the names are the index. */
import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** What a publish and an update have in common. */
export interface Content {
  readonly title: string;
  readonly slug: string;
  readonly content_html: string;
  readonly content_markdown: string;
  readonly meta_description: string;
  readonly focus_keyword: string;
  readonly featured_image_url: string | null;
  readonly tags: readonly string[];
  readonly author: string;
  readonly published_at: string;
  readonly json_ld: string;
}

export interface Article extends Content {
  readonly id: string;
  readonly revision: string;
}

const folder = process.env.ARTICLES_DIR ?? 'articles';

let last: Promise<unknown> = Promise.resolve();

/** One writer at a time, in this process: run one. Reading needs no lock, as files are replaced whole. */
export function locked<T>(work: () => Promise<T>): Promise<T> {
  const result = last.then(work);
  last = result.catch(() => undefined);
  return result;
}

function siteUrl(): string {
  const url = process.env.SITE_URL;
  if (!url) throw new Error('SITE_URL is not set');
  return url.replace(/\/$/, '');
}

export function urlOf({ slug }: Pick<Article, 'slug'>): string {
  return `${siteUrl()}/articles/${slug}`;
}

/** Without the fragment and one slash at the end of the path. Path and query stay as they are written. */
function canonical(url: string): string {
  const parts = /^(https?):\/\/([^/?#]+)([^?#]*)(\?[^#]*)?/i.exec(url);
  if (parts === null) return '';
  const [, scheme, host, path, query = ''] = parts.map((part) => part ?? '');
  const origin = `${scheme}://${host}`.toLowerCase().replace(/^(http:.*):80$|^(https:.*):443$/, '$1$2');
  return `${origin}${path.replace(/\/$/, '')}${query}`;
}

export async function findByUrl(url: string): Promise<Article | undefined> {
  const start = `${canonical(siteUrl())}/articles/`;
  const slug = canonical(url).slice(start.length);
  if (canonical(url) !== start + slug || !/^[a-z0-9-]+$/.test(slug)) return undefined;
  return first((name) => name.startsWith(`${slug}.`));
}

export function findById(id: string): Promise<Article | undefined> {
  return first((name) => name.endsWith(`.${hashOf(id)}.json`));
}

export async function freeSlug(suggested: string): Promise<string> {
  const safe = suggested
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 80)
    .replace(/^-|-$/g, '');
  const taken = new Set((await names()).map((name) => name.split('.', 1)[0]));
  let slug = safe || 'article';
  for (let number = 2; taken.has(slug); number++) slug = `${safe || 'article'}-${number}`;
  return slug;
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

async function names(): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  return (await readdir(folder)).filter((name) => name.endsWith('.json'));
}

async function first(matches: (name: string) => boolean): Promise<Article | undefined> {
  const name = (await names()).find(matches);
  return name === undefined ? undefined : JSON.parse(await readFile(join(folder, name), 'utf8'));
}

/** Resolves when the article is on the disk: the file is synced and renamed, and the folder is synced. */
export async function save(article: Article): Promise<void> {
  const temporary = join(folder, '.new'); // the lock sees to it that there is only one
  await withHandle(temporary, 'w', async (file) => {
    await file.writeFile(JSON.stringify(article, undefined, 2));
    await file.sync();
  });
  await rename(temporary, join(folder, `${article.slug}.${hashOf(article.id)}.json`));
  await withHandle(folder, 'r', (directory) => directory.sync());
}

async function withHandle(
  path: string,
  flags: string,
  work: (handle: Awaited<ReturnType<typeof open>>) => Promise<void>,
): Promise<void> {
  const handle = await open(path, flags);
  try {
    await work(handle);
  } finally {
    await handle.close();
  }
}
