import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join, relative, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { addressDigest } from '../../article/address-digest.js';
import { spelledKey } from '../../article/key-spelling.js';
import type { ArticleMapping, FileFacts, FrontMatterValue } from '../../article/mapping.js';
import { PressmarkError } from '../../errors.js';
import type { Generator } from '../../generators/generator.js';
import { buildFailure, type RunBuild } from '../build/run-build.js';
import { copySite, type SiteCopy, type SiteCopyOptions } from '../site-copy.js';
import {
  type AddressRecord,
  readAddressFile,
  type UnprovenReason,
  writeAddressFile,
} from './address-file.js';
import { buildCopy } from './build-copy.js';
import { configDigest } from './config-digest.js';
import { createMarkers, createSiteReader, findPosts, type Markers, type TrialSite } from './trial-pages.js';

/** Posts looked at before others get a turn: this also runs in a receiver, while it answers deliveries. */
const POSTS_PER_TURN = 100;

/** Reads and edits the front matter of article files, in whatever form it has. */
export interface FrontMatterEditor {
  /** @throws PressmarkError where the file cannot be read. */
  read(text: string): { readonly data: Readonly<Record<string, unknown>>; readonly body: string };
  /** Sets keys, removes those whose value is undefined, and replaces the body where one is given. */
  edit(
    text: string,
    changes: readonly { readonly key: string; readonly value: FrontMatterValue | undefined }[],
    body?: string,
  ): string;
}

/** A file whose address is not pinned. */
export interface UnpinnedFile {
  /** Below the content folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** The site, and how it is built. */
export interface ProofOptions {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** The content folder, relative to the site's. */
  readonly content: string;
  /** The output folder, relative to the site's. */
  readonly output: string;
  /** Absolute, without a trailing slash. */
  readonly siteUrl: string;
  /** The file of proven addresses, absolute. */
  readonly cacheFile: string;
  readonly generator: Pick<Generator, 'name' | 'configFiles' | 'caches' | 'outputFlags'>;
  readonly mapping: ArticleMapping;
  readonly frontMatter: FrontMatterEditor;
  /** The build command; asked for only where there is something to build. */
  command(): string;
  readonly env: NodeJS.Dict<string>;
  /** The repository that the site stands in. */
  readonly repository?: SiteCopyOptions['repository'];
  /** Other settings on which addresses depend. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly runBuild: RunBuild;
  readonly now: Date;
  /** Proves all addresses anew. @default false */
  readonly force?: boolean;
  /** The most bytes of the copy. */
  readonly maxBytes?: number;
  /** How long one build may take, in milliseconds. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Called before each trial build. */
  onBuild?(build: number): void;
}

/** Why an address is not proven. */
export type NotProven = UnprovenReason | 'draft' | 'future';

/** The address of one file, or why it has none. */
export type Proof =
  | { readonly kind: 'proven'; readonly path: string; readonly address: string; readonly moves: boolean }
  | { readonly kind: 'unproven'; readonly path: string; readonly reason: NotProven };

/** The addresses of all files that were asked for. */
export interface Proofs {
  readonly proofs: readonly Proof[];
  /** Whether the site was built to find out. */
  readonly built: boolean;
}

/** Longer than what generators take for a summary, so that the marker behind it stands only where a body stands whole. */
const FILLER = 'This paragraph belongs to a trial build of Pressmark. '.repeat(30).trim();

interface Post extends FileFacts {
  readonly text: string;
  readonly body: string;
}

/**
 * Finds out which address each file has, by two builds of a copy of the site, and keeps the result until a file's digest or
 * the site's configuration differs. Where the second build fails, one or two with pinned addresses follow. Nothing is
 * built where all is known already.
 *
 * @throws PressmarkError BUILD_FAILED, SITE_TOO_LARGE: nothing new is proven then, and what is kept stays as it was.
 */
export async function proveAddresses(files: Iterable<UnpinnedFile>, options: ProofOptions): Promise<Proofs> {
  const { mapping, cacheFile } = options;
  const { posts, hidden, malformed } = await sortFiles(files, options);
  const digest = siteDigest(options);
  const cache = readAddressFile(cacheFile);
  const kept = cache?.configDigest === digest && options.force !== true ? cache.records : [];
  const known = currentRecords(posts, kept, mapping);
  const built = known === undefined;
  const records = known ?? (await runTrial(posts, malformed, options));
  // Written also where only files have gone, or where the posts are drafts now.
  if (built || cache?.configDigest !== digest || records.length !== cache.records.length)
    await writeAddressFile(cacheFile, { configDigest: digest, records });
  const proofs = [...records.map(proofOf), ...hidden];
  return { proofs: proofs.toSorted((a, b) => (a.path < b.path ? -1 : 1)), built };
}

/** A digest of all that addresses depend on besides the posts; proofs of another digest are worth nothing. */
export function siteDigest({
  siteDir,
  content,
  output,
  siteUrl,
  generator: { name, configFiles },
  settings,
}: Pick<ProofOptions, 'siteDir' | 'content' | 'output' | 'siteUrl' | 'settings'> & {
  readonly generator: Pick<Generator, 'name' | 'configFiles'>;
}): string {
  const all = { ...settings, generator: name, siteUrl, content, output };
  return configDigest({ siteDir, content, configFiles, settings: all });
}

/** Which files the generator makes pages of, and why it makes none of the others. */
async function sortFiles(
  files: Iterable<UnpinnedFile>,
  { mapping, frontMatter, now }: Pick<ProofOptions, 'mapping' | 'frontMatter' | 'now'>,
): Promise<{ posts: Post[]; hidden: Proof[]; malformed: string[] }> {
  const posts: Post[] = [];
  const hidden: Proof[] = [];
  const malformed: string[] = [];
  for (const { path, text } of files) {
    if ((posts.length + hidden.length) % POSTS_PER_TURN === 0) await nextTurn();
    const found = readPost(path, text, frontMatter);
    if (found === undefined && isMalformed(text, frontMatter)) malformed.push(path);
    const reason = found === undefined ? 'front matter not supported' : mapping.hidden(found, now);
    if (found === undefined || reason !== undefined)
      hidden.push({ kind: 'unproven', path, reason: reason ?? 'front matter not supported' });
    else posts.push(found);
  }
  return { posts, hidden, malformed };
}

/** Whether a file has front matter that is broken, at which most generators stop. */
function isMalformed(text: string, frontMatter: Pick<FrontMatterEditor, 'read'>): boolean {
  if (!/^\ufeff?(?:---|\+\+\+|\{)/.test(text)) return false;
  try {
    frontMatter.read(text);
    return false;
  } catch (error) {
    return error instanceof PressmarkError && error.code === 'FRONT_MATTER_INVALID';
  }
}

function readPost(path: string, text: string, frontMatter: FrontMatterEditor): Post | undefined {
  if (path.endsWith('.mdx')) return undefined; // an update would replace a program by an article
  try {
    const { data, body } = frontMatter.read(text);
    return { path, text, data, body };
  } catch (error) {
    if (error instanceof PressmarkError) return undefined; // doctor says why
    throw error;
  }
}

/** The records of these posts; undefined where one is missing, or is of another state of its file. */
function currentRecords(
  posts: readonly Post[],
  kept: readonly AddressRecord[],
  mapping: ArticleMapping,
): AddressRecord[] | undefined {
  const byPath = new Map(kept.map((record) => [record.path, record]));
  const found: AddressRecord[] = [];
  for (const post of posts) {
    const record = byPath.get(post.path);
    if (record?.digest !== addressDigest(post, mapping, record === undefined || dependsOnTitle(record)))
      return undefined;
    found.push(record);
  }
  return found;
}

/** Whether another title may give another result: it may give a page to a post that has none. */
function dependsOnTitle(record: AddressRecord): boolean {
  return record.kind === 'unproven' || record.moves;
}

async function runTrial(
  posts: readonly Post[],
  malformed: readonly string[],
  options: ProofOptions,
): Promise<AddressRecord[]> {
  if (posts.length === 0) return [];
  const { siteDir, output, content, mapping, frontMatter, generator, maxBytes } = options;
  const copy = await copySite({
    siteDir,
    except: [...generator.caches, output],
    env: options.env,
    ...(options.repository !== undefined && { repository: options.repository }),
    ...(maxBytes !== undefined && { maxBytes }),
  });
  try {
    for (const path of malformed) copy.write(join(content, path), undefined);
    const markers = createMarkers(randomBytes(4).toString('hex'));
    const texts: ReturnType<typeof trialTexts>[] = [];
    for (const [index, post] of posts.entries()) {
      if (index % POSTS_PER_TURN === 0) await nextTurn();
      texts.push(trialTexts(post, index, markers, mapping, frontMatter));
    }
    const linked = new Set<number>();
    const build = async (number: number, textOf: (index: number) => string | undefined) => {
      for (const [index, post] of posts.entries()) {
        const text = textOf(index);
        if (text !== undefined && !copy.replace(join(content, post.path), text)) linked.add(index);
      }
      return await buildMarked(number, copy, markers, options);
    };
    const updated = (index: number) => texts[index]?.[2];
    const before = await build(1, (index) => texts[index]?.[1]);
    /** Builds with updates, without pins at first; while that fails, with those of more and more posts. */
    async function buildUpdated(
      number: number,
      [pins = new Map(), ...more]: readonly Pins[],
    ): Promise<{ readonly after: TrialSite; readonly pins: Pins }> {
      try {
        const after = await build(number, (index) => {
          const [text, pin] = [updated(index), pins.get(index)];
          return text === undefined || pin === undefined ? text : frontMatter.edit(text, pin);
        });
        return { after, pins };
      } catch (error) {
        if (more.length === 0 || options.signal?.aborted || !isBuildFailure(error)) throw error;
        return buildUpdated(number + 1, more);
      }
    }
    // Templates that several posts have for an address, once turned off, may be one address, at which Eleventy stops. A post
    // has its template itself, or a data file of its folder does, such as `posts.json`.
    const all = pinsOf(posts, before, mapping);
    const own: Pins = new Map(
      [...all].filter(([index, pin]) => pin.some(({ key }) => Object.hasOwn(posts[index]?.data ?? {}, key))),
    );
    const { after, pins } = await buildUpdated(2, [
      new Map(),
      ...(own.size > 0 ? [own] : []),
      ...(all.size > own.size ? [all] : []),
    ]);
    const findings = findPosts(posts.length, before, after);
    return posts.map((post, index): AddressRecord => {
      const { path } = post;
      const finding = findings[index];
      if (finding?.kind === 'proven') {
        const moves = finding.moves || pins.has(index);
        return { ...finding, path, moves, digest: addressDigest(post, mapping, moves) };
      }
      const reason =
        texts[index] === undefined
          ? 'front matter not supported'
          : linked.has(index)
            ? 'symbolic link'
            : (finding?.reason ?? 'no page');
      return { kind: 'unproven', path, digest: addressDigest(post, mapping, true), reason };
    });
  } finally {
    copy.remove();
  }
}

/** Changes of front matter, by the indexes of posts. */
type Pins = ReadonlyMap<number, readonly { readonly key: string; readonly value: FrontMatterValue }[]>;

/** Front matter that holds each post where the first build has put it. */
function pinsOf(posts: readonly Post[], before: TrialSite, mapping: ArticleMapping): Pins {
  const findings = findPosts(posts.length, before, before);
  return new Map(
    posts.flatMap((post, index) => {
      const finding = findings[index];
      if (finding?.kind !== 'proven' || mapping.isPinned(post, finding.address)) return [];
      const pin = Object.entries(mapping.pin(finding.address));
      // Astro has no key for an address.
      return pin.length === 0
        ? []
        : [
            [
              index,
              pin.map(([key, value]) => ({ key: spelledKey(post.data, key, mapping), value })),
            ] as const,
          ];
    }),
  );
}

function isBuildFailure(error: unknown): boolean {
  return error instanceof PressmarkError && error.code === 'BUILD_FAILED';
}

async function buildMarked(
  number: number,
  copy: SiteCopy,
  markers: Markers,
  options: ProofOptions,
): Promise<TrialSite> {
  const command = options.command();
  const output = join(copy.dir, options.output);
  options.onBuild?.(number);
  const result = await buildCopy(copy, { ...options, command });
  if (result.kind !== 'built')
    throw new PressmarkError(
      'BUILD_FAILED',
      `the addresses of existing posts could not be proven: in a copy of the site, ${buildFailure(command, result)}`,
    );
  const files = htmlFiles(output);
  if (files.length === 0)
    throw new PressmarkError(
      'BUILD_FAILED',
      `the addresses of existing posts could not be proven: in a copy of the site, the build command ${JSON.stringify(command)} wrote no pages to ${options.output}/. Set "output" to the folder that it writes to`,
    );
  const reader = createSiteReader(markers, options.siteUrl);
  for (const file of files) reader.add(file, await fs.promises.readFile(join(output, file), 'utf8'));
  return reader.site;
}

/** The pages of a built site, below its folder, with forward slashes. Links are not followed. */
function htmlFiles(output: string): string[] {
  if (!fs.existsSync(output)) return [];
  return fs
    .readdirSync(output, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && (/\.x?html?$/i.test(entry.name) || !entry.name.includes('.')))
    .map((entry) => relative(output, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted();
}

/**
 * The texts of a post in the two builds. In the first it has a marker at the end of its body. In the second it is as an
 * update would leave it: with another title and body, and with what keeps the body from being a template.
 *
 * @returns undefined where its front matter cannot be edited; an update could not be stored either.
 */
function trialTexts(
  { text, body, path, data }: Post,
  index: number,
  markers: Markers,
  mapping: ArticleMapping,
  frontMatter: FrontMatterEditor,
): { readonly 1: string; readonly 2: string } | undefined {
  const marker = markers.body(index);
  const html = `<p>${FILLER}</p>\n<p>${marker}</p>\n`;
  const markdown = `${FILLER}\n\n${marker}\n`;
  // HTML, for which a generator may turn off more than for Markdown, such as templates in permalinks (Eleventy).
  const stored = mapping.body({ kind: 'html', html }, path);
  const title = [mapping.keys.title, `${markers.title(index)} in a trial build`] as const;
  const changes = [title, ...Object.entries(stored.frontMatter)].map(([key, value]) => ({
    key: spelledKey(data, key, mapping),
    value,
  }));
  try {
    return {
      1: frontMatter.edit(text, [], `${body.trimEnd()}\n\n${isHtml(path) ? html : markdown}`),
      2: frontMatter.edit(text, changes, stored.text),
    };
  } catch (error) {
    if (error instanceof PressmarkError) return undefined;
    throw error;
  }
}

function isHtml(path: string): boolean {
  return /\.x?html?$/i.test(path);
}

function proofOf(record: AddressRecord): Proof {
  if (record.kind === 'unproven') return { kind: 'unproven', path: record.path, reason: record.reason };
  return { kind: 'proven', path: record.path, address: record.address, moves: record.moves };
}
