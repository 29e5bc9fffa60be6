import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, systemCode } from '../errors.js';
import type { PreviewPage } from '../host/admin/preview-service.js';
import type { DraftFile } from '../host/articles/edits.js';
import type { ReceiverHost } from '../host/plugin.js';

/** The policy of a preview: no scripts run, and it cannot reach the admin. */
export const PREVIEW_POLICY =
  "default-src 'none'; img-src 'self' data: https: http:; media-src 'self' https: http:; style-src 'self' 'unsafe-inline' https: http:; font-src 'self' data: https: http:; frame-ancestors 'self'; base-uri 'self' https: http:; form-action 'none'; sandbox";

/** How many previews are kept for their frames. */
const MOST_PREVIEWS = 20;

/** How long a form waits for its preview, in milliseconds. After that, the frame shows it when it is ready. */
const WAIT_MS = 1_500;

/** Longer than a preview takes, including those before it, in milliseconds. */
const LONGEST_MS = 3_600_000;

/** A preview: its page, or a note that it is being built. */
export type Preview =
  | PreviewPage
  | { readonly kind: 'building' /** In ms since 1970. */; readonly since: number };

/** The previews of drafts; see `createPreviews`. */
export type Previews = ReturnType<typeof createPreviews>;

/** Creates previews, kept as files so that all receivers on the folder can show them. Each has an unguessable key. */
export function createPreviews(host: ReceiverHost) {
  const folder = join(host.storage.folder, 'previews');
  const pathOf = (key: string) => join(folder, `${key}.json`);

  /**
   * Makes the preview of a draft.
   *
   * @param alone makes the page on a site whose pages are not made here.
   * @returns its key, and whether it is ready; otherwise it is being built.
   */
  async function begin(
    draft: DraftFile,
    origin: string,
    alone: string,
  ): Promise<{ readonly key: string; readonly isThere: boolean }> {
    const key = randomBytes(16).toString('hex');
    await keep(key, { kind: 'building', since: Date.now() });
    const made = make(draft, origin).then((page) =>
      keep(key, page.kind === 'none' ? { kind: 'page', html: alone } : page),
    );
    made.catch((error: unknown) => host.log.error({ err: error }, 'a preview could not be kept'));
    const isThere = await Promise.race([made.then(() => true), sleep(WAIT_MS, false)]);
    return { key, isThere };
  }

  async function make({ path, text, article }: DraftFile, origin: string): Promise<PreviewPage> {
    try {
      return await host.use('preview').page({ path, text, url: article.url }, origin);
    } catch (error) {
      return { kind: 'failed', reason: messageOf(error) };
    }
  }

  async function keep(key: string, preview: Preview): Promise<void> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await writeFile(`${pathOf(key)}.new`, JSON.stringify(preview), { mode: 0o600 });
    await rename(`${pathOf(key)}.new`, pathOf(key));
    const names = readdirSync(folder);
    if (names.length <= MOST_PREVIEWS) return;
    const age = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const newest = names.map((name) => ({ name, at: age(name) })).sort((a, b) => b.at - a.at);
    for (const { name } of newest.slice(MOST_PREVIEWS)) rmSync(join(folder, name), { force: true });
  }

  async function get(key: string): Promise<Preview | undefined> {
    if (!/^[0-9a-f]{32}$/.test(key)) return undefined;
    try {
      const preview = JSON.parse(await readFile(pathOf(key), 'utf8')) as Preview;
      const isLost = preview.kind === 'building' && Date.now() - preview.since > LONGEST_MS;
      return isLost ? undefined : preview; // its receiver has ended
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  return { begin, get };
}
