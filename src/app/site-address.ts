import type { Settings } from '../config/load.js';
import { PressmarkError } from '../errors.js';

/**
 * An article keeps the URL with which its publication was answered. So nothing is received before somebody has said
 * what the site's address is, unless it is only a preview.
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
 * A folder in which nobody has set up a site gets no files of one.
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

/** What starters come with: domains that are reserved for examples, the machine itself, and words to be replaced. */
const EXAMPLE_HOST =
  /(?:^|\.)(?:example\.(?:com|org|net)|(?:update|change|replace)-?(?:me|this)\.\w+|my-?(?:domain|site|web-?site|blog)\.com|domain\.(?:com|tld))$|^(?:www\.)?your-?(?:own-?)?(?:domain|site|web-?site|blog|url|name)(?:-?(?:name|here))?\.[\w.]+$|^(?:your-?|my-?)?(?:git-?hub-?)?user-?name\.[\w.]+$|^localhost$|^127\./;

/** Whether an address is a placeholder of a starter, which its owner has to replace. */
export function isExampleUrl(url: string): boolean {
  return !URL.canParse(url) || EXAMPLE_HOST.test(new URL(url).hostname);
}

/** What `start` warns of where the address is an example. */
export function exampleWarning(siteUrl: string): string {
  return `siteUrl is ${siteUrl}, which is not the address of a public site; articles keep it for good, so set the right one before the first article`;
}
