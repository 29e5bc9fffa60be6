import fs from 'node:fs';
import { siteFiles } from '../content/site-files.js';
import { withAnswer } from './answers.js';
import { applyChanges } from './apply-changes.js';
import { ignoreFilesAbove, workTreeOf } from './ignore-lines.js';
import { existingConfig, inspectSite, PLAIN, recogniseSite } from './inspect-site.js';
import { planInit, type Surroundings } from './plan.js';

/** What is around a site's folder, for `planInit`. */
export function surroundingsOf(dir: string, siteUrl: string | undefined): Surroundings {
  return { ignoredAbove: ignoreFilesAbove(dir), isInWorkTree: workTreeOf(dir) !== undefined, siteUrl };
}

/**
 * Makes a folder a site that Pressmark builds itself, without questions: config, `.env` with a random secret,
 * `.gitignore` lines. Overwrites nothing.
 *
 * @param dir the site's folder.
 * @param siteUrl its public address.
 */
export async function initPlainSite(dir: string, siteUrl: string): Promise<void> {
  fs.mkdirSync(dir, { recursive: true });
  const files = siteFiles(dir);
  const answers = withAnswer({ generator: PLAIN }, { flag: 'site-url' }, siteUrl);
  const recognition = recogniseSite(files, await existingConfig(dir), answers);
  if (recognition.kind === 'question') return; // cannot be: the generator is given
  const inspection = await inspectSite(undefined, recognition, answers, siteUrl);
  await applyChanges(dir, planInit(files, inspection, answers, surroundingsOf(dir, siteUrl)).changes);
}
