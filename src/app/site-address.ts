import fs from 'node:fs';
import { loadSettings, type Settings } from '../config/load.js';
import { PressmarkError } from '../errors.js';
import { foldersOf } from './content/folders.js';

/**
 * Refuses to start without a site address, except for a preview: an article keeps the URL that was answered at its publication.
 *
 * @throws PressmarkError CONFIG_INVALID
 */
export function refuseUnknownAddress(
  { dir, siteUrl, siteUrlIsGuess, configFile }: Settings,
  { preview }: { readonly preview: boolean },
): void {
  if (preview && !siteUrlIsGuess)
    throw refuse(
      `--preview is for a site without an address, and this one has ${siteUrl}; leave out --preview, or remove siteUrl from the config`,
    );
  if (!siteUrlIsGuess) return;
  refuseNoSite({ dir, siteUrlIsGuess, configFile });
  if (!preview)
    throw refuse(
      `siteUrl is not set, and articles would keep the address of this machine for good; set siteUrl in ${configFile}, or PRESSMARK_SITE_URL; to try Pressmark on this machine, run pressmark start --preview`,
    );
}

/**
 * Reads the settings of a site, for commands that need no address: the receiver may have it from its own environment. Any other
 * folder is refused, so that nothing is written there, and an empty list does not hide that it is the wrong folder.
 *
 * @throws PressmarkError CONFIG_INVALID
 */
export async function loadSite(dir: string): Promise<Settings> {
  const settings = await loadSettings(dir);
  const { contentDir, stateDir } = foldersOf(settings);
  if (!fs.existsSync(contentDir) && !fs.existsSync(stateDir)) refuseNoSite(settings);
  return settings;
}

/**
 * Refuses a folder without a config and an address.
 *
 * @throws PressmarkError CONFIG_INVALID
 */
export function refuseNoSite({
  dir,
  siteUrlIsGuess,
  configFile,
}: Pick<Settings, 'dir' | 'siteUrlIsGuess' | 'configFile'>): void {
  if (siteUrlIsGuess && configFile === undefined)
    throw refuse(
      `${dir} has no pressmark.config.mjs, and PRESSMARK_SITE_URL is not set; run pressmark init, or name the folder of a site with --dir`,
    );
}

function refuse(message: string): PressmarkError {
  return new PressmarkError('CONFIG_INVALID', message);
}

/** Hosts in starters' example addresses: reserved domains, the machine itself, and placeholders. */
const EXAMPLE_HOST =
  /(?:^|\.)(?:example\.(?:com|org|net)|(?:update|change|replace)-?(?:me|this)\.\w+|my-?(?:domain|site|web-?site|blog)\.com|domain\.(?:com|tld))$|^(?:www\.)?your-?(?:own-?)?(?:domain|site|web-?site|blog|url|name)(?:-?(?:name|here))?\.[\w.]+$|^(?:your-?|my-?)?(?:git-?hub-?)?user-?name\.[\w.]+$|^localhost$|^127(?:\.\d+){3}$/;

/** Whether an address is a starter's placeholder. */
export function isExampleUrl(url: string): boolean {
  return !URL.canParse(url) || EXAMPLE_HOST.test(new URL(url).hostname);
}

/** The warning of `start` about an example address. */
export function exampleWarning(siteUrl: string): string {
  return `siteUrl is ${siteUrl}, which is not the address of a public site; articles keep it for good, so set the right one before the first article`;
}
