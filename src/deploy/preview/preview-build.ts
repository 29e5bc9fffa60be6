import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PreviewPage, StoredDraft } from '../../host/admin/preview-service.js';
import { readBuildState } from '../build/build-state.js';
import { buildCopy, type GeneratedSite } from '../build/copy-builds.js';
import { openGoodTexts } from '../build/good-texts.js';
import { addressBelow, pageAt } from '../build/pages.js';
import { readableEnd, runFailure } from '../build/run-build.js';
import { COPY_PREFIX, reusedCopy, type SiteCopy } from '../copy/site-copy.js';
import { framedPage } from './framed-page.js';

/** How many outputs are kept, for the frames that show them. */
const MOST_KEPT = 3;

/** See `createPreviewBuild`. */
export type PreviewBuild = ReturnType<typeof createPreviewBuild>;

/**
 * Builds the site with an article that is not stored, in a copy of its own; the site, its output and its caches stay as they
 * are. The copy stays for the next preview, which then is as quick as the generator's caches make it.
 *
 * @param siteUrl absolute, without a trailing slash.
 */
export function createPreviewBuild(options: GeneratedSite, siteUrl: string) {
  const copy = reusedCopy(options);
  const kept: string[] = [];

  /** @param files see `Frame`. */
  async function build(draft: StoredDraft, files: string, signal: AbortSignal): Promise<PreviewPage> {
    const { site } = await copy.synced();
    leaveOut(site);
    if (!site.write(draft.path, draft.text))
      return { kind: 'failed', reason: `${draft.path} is behind a symbolic link` };
    const result = await buildCopy(options, site, signal).finally(
      () => site.write(draft.path, undefined), // the next copy has the article's own text
    );
    if (result.kind !== 'built')
      return { kind: 'failed', reason: runFailure('build', options.command, result) };
    const built = join(site.dir, options.output);
    const address = addressBelow(siteUrl, draft.url);
    const page = address === undefined ? undefined : pageAt(built, address);
    if (page?.kind !== 'page')
      return {
        kind: 'failed',
        reason: `the build made no page at ${draft.url}:\n${readableEnd(result.output)}`,
      };
    const html = framedPage(fs.readFileSync(page.path, 'utf8'), page.name, { siteUrl, files });
    return { kind: 'page', html, folder: keep(built) };
  }

  /** Leaves out what the site leaves out; an article that breaks the build has its last good text. */
  function leaveOut(site: SiteCopy): void {
    const { malformed, hidden } = options.articleSources(site.dir);
    const { excluded } = readBuildState(options.stateDir);
    const goodTexts = openGoodTexts(options.stateDir);
    for (const path of hidden) site.write(path, undefined);
    for (const { path } of [...malformed, ...excluded]) site.write(path, goodTexts.get(path));
  }

  /** Keeps an output for the frame that shows it. */
  function keep(built: string): string {
    const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), COPY_PREFIX)));
    kept.unshift(folder);
    for (const old of kept.splice(MOST_KEPT)) fs.rmSync(old, { recursive: true, force: true });
    // In a folder that only this user can read; a generator's own folder may be readable by all.
    const place = join(folder, 'output');
    fs.renameSync(fs.realpathSync(built), place);
    return place;
  }

  return {
    build,
    /** Removes the copy and the outputs. */
    close: () => {
      copy.remove();
      for (const folder of kept) fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
