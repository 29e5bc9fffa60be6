import { randomBytes, randomInt } from 'node:crypto';
import fs from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type ArticleDraft, draftOf, itemComments, replacementOf } from '../../article/article.js';
import type { Settings } from '../../config/load.js';
import { type BuiltArticle, postbuild } from '../../deploy/build/postbuild.js';
import { buildFailure, runBuild } from '../../deploy/build/run-build.js';
import { copySite, type SiteCopy } from '../../deploy/site-copy.js';
import { buildCopy } from '../../deploy/trial/build-copy.js';
import { type Fault, judgeTrial, type TrialPage } from '../../deploy/trial/judge-trial.js';
import {
  bodyOf,
  hostileArticles,
  hostileTags,
  hostileUpdates,
  ordinaryArticles,
  type Probe,
  type SentArticle,
  type TrialArticle,
  UPDATED_AT,
} from '../../deploy/trial/trial-articles.js';
import { PressmarkError } from '../../errors.js';
import { readText } from '../../fs/read-text.js';
import { openRepository } from '../../git/repository.js';
import { createCatalog } from '../../store/catalog/catalog.js';
import { decodeAt, type Entry } from '../../store/catalog/entry.js';
import { createNaming } from '../../store/catalog/naming.js';
import { scan } from '../../store/catalog/scan.js';
import { createTagSpelling } from '../../store/catalog/tag-spelling.js';
import { contentOf, generatorOf, type SiteGenerator } from '../content/content.js';
import { buildCommandOf } from './existing-addresses.js';

/** How a site is tried. */
export interface TrialOptions {
  readonly signal?: AbortSignal;
  /** So many posts of the site are updated, each with another text. @default 3 */
  readonly mostPosts?: number;
  /** Called before each build of the copy. */
  onBuild?(build: number): void;
}

/** What was found out about a site. */
export interface Trial {
  /** Whose definition the site uses. */
  readonly generator: string;
  /** The number of new articles. */
  readonly articles: number;
  /** The number of posts of the site that were updated. */
  readonly posts: number;
  readonly builds: number;
  readonly faults: readonly TrialFault[];
}

/** What is wrong: with the site alone, with one text in particular, with a stored file or with a page. */
export type TrialFault =
  | Fault
  | {
      readonly kind: 'site' | 'build' | 'stored' | 'private';
      readonly fragment?: string;
      readonly text: string;
    };

/** An article file of the copy. */
interface TrialFile extends TrialPage {
  readonly article: TrialArticle;
  readonly text: string;
  /** The text that the file had before; undefined for a new one. */
  readonly before: string | undefined;
}

/**
 * Publishes and updates articles, ordinary and hostile ones, in a copy of the site, builds it, and judges the pages. The
 * site itself is not changed, and its secret is not in the copy.
 *
 * @throws PressmarkError USAGE where Pressmark itself builds the site, or where the config has no build command;
 *   SITE_TOO_LARGE; BUILD_FAILED where the signal ended it.
 */
export async function tryArticles(settings: Settings, options: TrialOptions = {}): Promise<Trial> {
  const site = generatorOf(settings);
  if (site === undefined)
    throw new PressmarkError(
      'USAGE',
      'the generator is plain: Pressmark builds this site itself, and displays articles as they were sent; --build tries a site that another generator builds',
    );
  const command = buildCommandOf(settings);
  const { dir, environment, output, siteUrl, buildTimeoutMs: timeoutMs } = settings;
  const { signal, onBuild, mostPosts = 3 } = options;
  const repository = await openRepository(dir, environment);
  const copy = await copySite({
    siteDir: dir,
    except: [...site.generator.caches, output],
    env: environment,
    ...(repository.kind === 'repository' && { repository }),
  });
  const secret = randomBytes(18).toString('hex');
  const factors = [randomInt(20_000, 40_000), randomInt(20_000, 40_000)] as const;
  // Within the temporary folder, so that it is removed with it.
  const canary = join(copy.dir, '..', `canary-${secret.slice(0, 8)}`);
  let builds = 0;

  async function build(files: readonly TrialFile[], all: readonly TrialFile[]) {
    const wanted = new Set(files);
    for (const file of all)
      copy.write(join(settings.content, file.file), wanted.has(file) ? file.text : file.before);
    builds++;
    onBuild?.(builds);
    const variables = { PRESSMARK_SECRET: secret };
    const { generator } = site as SiteGenerator;
    const result = await buildCopy(copy, {
      command,
      output,
      generator,
      env: environment,
      variables,
      runBuild,
      timeoutMs,
      ...(signal !== undefined && { signal }),
    });
    if (signal?.aborted === true) throw new PressmarkError('BUILD_FAILED', 'the trial was interrupted');
    return result.kind === 'built' ? undefined : buildFailure(command, result);
  }

  try {
    putSecret(copy, secret);
    const { files, faults, posts } = await trialFiles(settings, { canary, factors }, mostPosts);
    const done = (found: readonly TrialFault[]): Trial => ({
      generator: site.generator.name,
      articles: files.length - posts,
      posts,
      builds,
      faults: found,
    });
    const failedBefore = await build([], files);
    if (failedBefore !== undefined)
      return done([{ kind: 'site', text: `without any trial article, ${failedBefore}` }]);
    const before = readOutput(join(copy.dir, output));
    if (before.size === 0)
      return done([
        {
          kind: 'site',
          text: `the build command ${JSON.stringify(command)} wrote nothing to ${output}/`,
        },
      ]);
    const published = [...before].filter(([, bytes]) => bytes.includes(secret)).map(([file]) => file);
    if (published.length > 0)
      return done([
        { kind: 'private', text: `the build puts what is in .env into the site: ${published.join(', ')}` },
      ]);
    const failed = await build(files, files);
    if (failed !== undefined) {
      const guilty = await bisect(files, async (some) => (await build(some, files)) !== undefined);
      const how = await build(guilty, files);
      return done([...faults, { kind: 'build', text: buildFault(guilty, how ?? failed) }]);
    }
    const built = join(copy.dir, output);
    const report = postbuild({ siteUrl, output: built, articles: files.map(builtArticle(settings)) });
    const secrets = [
      { text: secret, how: 'the page has a value of .env, which a template has read' },
      { text: String(factors[0] * factors[1]), how: 'a template has run: the page shows a computed result' },
    ];
    const found: TrialFault[] = judgeTrial({
      siteUrl,
      pages: files,
      before: new Set(before.keys()),
      files: readOutput(built),
      secrets,
    });
    if (fs.existsSync(canary))
      found.push({ kind: 'ran', text: 'code in an article has run and written a file' });
    const completion = report.missing.filter(({ reason }) => !reason.includes('no page'));
    for (const { url, reason } of completion) found.push({ kind: 'comment', text: `${url}: ${reason}` });
    return done([...faults, ...found]);
  } finally {
    copy.remove();
  }
}

/** Puts a value into the place of the secret, which articles must not be able to read. */
function putSecret(copy: SiteCopy, secret: string): void {
  const path = join(copy.dir, '.env');
  const text = fs.existsSync(path) ? fs.readFileSync(path, 'latin1') : '';
  copy.write('.env', `${text.trimEnd()}\nPRESSMARK_SECRET=${secret}\n`);
}

/** The files of all trial articles, as the receiver would store them now. */
async function trialFiles(
  settings: Settings,
  probe: Probe,
  mostPosts: number,
): Promise<{ files: TrialFile[]; faults: TrialFault[]; posts: number }> {
  const content = contentOf(settings);
  const { format } = content;
  const catalog = createCatalog();
  if (fs.existsSync(content.root)) await scan(content, catalog);
  const chooseName = createNaming(content, catalog);
  const tags = createTagSpelling(format, catalog);
  const faults: TrialFault[] = [];

  function publish(article: TrialArticle): TrialFile {
    const draft: ArticleDraft = draftOf(article.data);
    const { slug, path: file, url } = chooseName(draft, new Set());
    const named = { url, updated: null, ...draft, slug, tags: tags.spelled(draft.tags) };
    return { article, file, url, text: format.encodeFirst(named, file).text, before: undefined };
  }

  function update({ file, url, text }: Pick<TrialFile, 'file' | 'url' | 'text'>, article: TrialArticle) {
    const stored = format.decode(text, file);
    const replacement = replacementOf(
      { ...article.data, target_id: '', target_url: url, base_revision_id: '', revision_id: '' },
      stored.article,
    );
    const next = {
      ...stored.article,
      ...replacement,
      tags: tags.spelled(replacement.tags),
      updated: UPDATED_AT,
      revision: 'rev-of-a-trial',
    };
    return { article, file, url, text: format.amend(text, stored, next, file).text };
  }

  /** What a lookup would answer must be what was sent. */
  function check({ article, file, url, text }: Omit<TrialFile, 'before'>): void {
    const { article: read, address } = decodeAt(content, file, text);
    const { data, name } = article;
    const wrong = [
      ...(read.title === data.title ? [] : ['title']),
      ...(read.contentHtml === data.content_html ? [] : ['content_html']),
      ...(read.jsonLd === data.json_ld ? [] : ['json_ld']),
    ];
    if (wrong.length > 0)
      faults.push({
        kind: 'stored',
        text: `${name}: ${wrong.join(', ')} cannot be read back as it was sent`,
      });
    if (read.url !== url || address?.kind === 'unknown')
      faults.push({
        kind: 'stored',
        text: `${name}: lookups would not find it at ${url}, as its file ${address?.kind === 'unknown' ? address.reason : `is read as ${read.url}`}`,
      });
  }

  const published = [...ordinaryArticles(), ...hostileArticles(probe), hostileTags(probe)].map(publish);
  const updated = hostileUpdates(probe).map(({ first, next }): TrialFile => {
    const file = publish(first);
    return { ...file, ...update(file, next) };
  });
  const hostile = published.filter(({ article }) => article.fragment !== undefined);
  const posts = provenPosts(catalog.entries(), mostPosts).flatMap((entry, index): TrialFile[] => {
    const { article } = hostile[(7 * index) % hostile.length] ?? {};
    if (article === undefined) return [];
    const { text } = readText(join(content.root, entry.path));
    const { path: file, url } = entry;
    const { tags } = decodeAt(content, file, text).article;
    // With the tags that it has: a tag that no other post has would lose its page.
    const data = { ...article.data, ...postBody(article, index), tags: [...tags] };
    const name = `${article.name}, as an update of ${entry.path}`;
    return [{ ...update({ file, url, text }, { ...article, name, data }), before: text }];
  });
  for (const file of [...published, ...updated, ...posts]) check(file);
  return { files: [...published, ...updated, ...posts], faults, posts: posts.length };
}

/** The same body with an item comment of its own. */
function postBody({ form, data }: TrialArticle, index: number): Partial<SentArticle> {
  const id = `post-${index + 1}`;
  const without = (text: string) => text.replace(itemComments(text)[0] ?? '', '').trimEnd();
  const body = without(form === 'markdown' ? data.content_markdown : data.content_html);
  return { id, ...bodyOf(form, body, id) };
}

/** Posts that people wrote and whose addresses are proven. */
function provenPosts(entries: Iterable<Entry>, most: number): Entry[] {
  return [...entries]
    .filter(
      ({ id, path, address, broken }) => id === path && address?.kind === 'proven' && broken === undefined,
    )
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .slice(0, most);
}

function builtArticle(settings: Settings): (file: TrialFile) => BuiltArticle {
  const content = contentOf(settings);
  return ({ file: path, url, text }) => {
    const { jsonLd, contentHtml } = content.format.decodeForPages(text, path).article;
    return { path, url, jsonLd, comments: [...new Set(itemComments(contentHtml))], hidden: undefined };
  };
}

/** The articles of one text with which the build fails, found by halves. */
async function bisect(
  files: readonly TrialFile[],
  fails: (files: readonly TrialFile[]) => Promise<boolean>,
): Promise<readonly TrialFile[]> {
  const textOf = ({ article }: TrialFile) => article.fragment ?? article.name;
  let texts = [...new Set(files.map(textOf))];
  const filesOf = (some: readonly string[]) => files.filter((file) => some.includes(textOf(file)));
  while (texts.length > 1) {
    const half = texts.slice(0, Math.ceil(texts.length / 2));
    texts = (await fails(filesOf(half))) ? half : texts.slice(half.length);
  }
  return filesOf(texts);
}

function buildFault(guilty: readonly TrialFile[], failure: string): string {
  const { fragment, name = 'articles' } = guilty[0]?.article ?? {};
  const which = fragment === undefined ? name : `articles with the text ${JSON.stringify(fragment)}`;
  return `with ${which}, ${failure}`;
}

/** All files of a built site. Links are not followed. */
function readOutput(folder: string): Map<string, Buffer> {
  if (!fs.existsSync(folder)) return new Map();
  const files = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return new Map(files.map((path) => [relative(folder, path).split(sep).join('/'), fs.readFileSync(path)]));
}
