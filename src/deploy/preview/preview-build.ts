import fs from 'node:fs';
import { join } from 'node:path';
import { framedPage } from '../../host/admin/framed-page.js';
import type { PreviewPage, StoredDraft } from '../../host/admin/preview-service.js';
import { readBuildState } from '../build/build-state.js';
import { buildCopy, type GeneratedSite } from '../build/copy-builds.js';
import { openGoodTexts } from '../build/good-texts.js';
import { addressBelow, pageAt } from '../build/pages.js';
import { copySite, type SiteCopy } from '../copy/site-copy.js';
import { readableEnd, shellFailure } from '../run-shell-command.js';

/** Options of a preview. */
export interface PreviewOptions {
  /** The site's address, absolute, without a trailing slash. */
  readonly siteUrl: string;
  /** See `frameBase`. */
  readonly base: string;
}

/** Builds the site with an unstored article, in a separate copy. The site, its output and its caches are not changed. */
export async function buildPreview(
  site: GeneratedSite,
  draft: StoredDraft,
  { siteUrl, base }: PreviewOptions,
  signal: AbortSignal,
): Promise<PreviewPage> {
  const copy = await copySite(site);
  try {
    leaveOut(site, copy);
    if (!copy.write(draft.path, draft.text)) return failed(`${draft.path} is behind a symbolic link`);
    const result = await buildCopy(site, copy, signal);
    if (result.kind !== 'succeeded') return failed(shellFailure('build command', site.command, result));
    const address = addressBelow(siteUrl, draft.url);
    const page = address === undefined ? undefined : pageAt(join(copy.dir, site.output), address);
    return page?.kind === 'page'
      ? { kind: 'page', html: framedPage(fs.readFileSync(page.path, 'utf8'), base) }
      : failed(`the build made no page at ${draft.url}:\n${readableEnd(result.output)}`);
  } finally {
    copy.remove();
  }
}

/** Leaves out the same articles as the site. An article that breaks the build gets its last good text. */
function leaveOut({ articleSources, stateDir }: GeneratedSite, copy: SiteCopy): void {
  const { malformed, hidden } = articleSources(copy.dir);
  const { excluded } = readBuildState(stateDir);
  const goodTexts = openGoodTexts(stateDir);
  for (const path of hidden) copy.write(path, undefined);
  for (const { path } of [...malformed, ...excluded]) copy.write(path, goodTexts.get(path));
}

function failed(reason: string): PreviewPage {
  return { kind: 'failed', reason };
}
