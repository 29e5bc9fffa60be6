import { Command } from 'commander';
import { moveSite, planMove } from '../../app/articles/move.js';
import { loadSite } from '../../app/site-address.js';
import type { Settings } from '../../config/load.js';
import { siteUrlOf } from '../../config/option-values.js';
import { example, withDir } from '../options.js';
import { print, printable, printJson, warningLog } from '../terminal.js';

/** The most URLs that are printed for a person; a script gets all of them. */
const MOST_SHOWN = 20;

interface MoveFlags {
  readonly dir: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `pressmark move`: changes the site's address. */
export function moveCommand(): Command {
  return withDir(new Command('move'))
    .argument('<address>', 'the new address of the site')
    .option('--yes', 'write the files and the commit')
    .option('--json', 'print the URLs as JSON')
    .addHelpText('after', example('pressmark move https://example.org'))
    .action(move);
}

async function move(address: string, { dir, yes = false, json = false }: MoveFlags): Promise<void> {
  const settings = await loadSite(dir);
  const to = siteUrlOf(address);
  if (!yes) {
    const urls = planMove(settings, to).map(({ file, old, new: url }) => ({ file, old, new: url }));
    if (json) printJson({ moved: false, urls }, 2);
    else
      printUrls(urls, urls.length === 0 ? [nothing(to)] : ['Nothing was changed. Add --yes to move them.']);
    return;
  }
  const { urls, commit, lists, left } = await moveSite(settings, to, warningLog());
  if (json) {
    printJson({ moved: true, urls, commit, lists, left }, 2);
    return;
  }
  if (urls.length === 0 && commit === null) {
    printUrls(urls, [nothing(to)]);
    return;
  }
  printUrls(urls, [
    commit === null ? 'Nothing was committed.' : `Commit ${commit.slice(0, 10)}.`,
    ...(left.length === 0 ? [] : [`Commit what an interrupted run has moved: ${left.join(' ')}`]),
    ...lists.map((path) => `Written: ${path}`),
    ...nextSteps(settings, to),
  ]);
}

function nothing(to: string): string {
  return `Nothing to move: all articles are at ${to}.`;
}

function printUrls(
  urls: readonly { readonly old: string; readonly new: string }[],
  lines: readonly string[],
): void {
  for (const { old, new: url } of urls.slice(0, MOST_SHOWN)) print(printable(`${old} → ${url}`));
  if (urls.length > MOST_SHOWN) print(`and ${urls.length - MOST_SHOWN} more`);
  if (urls.length > 0) print(`${urls.length} ${urls.length === 1 ? 'article' : 'articles'}`);
  for (const line of lines) print(printable(line));
}

function nextSteps({ siteUrl, generator }: Settings, to: string): string[] {
  const name = typeof generator === 'string' ? generator : generator.name;
  const own = name === 'plain' ? '' : `, and the address in the configuration of ${name}`;
  return [
    ...(siteUrl === to ? [] : [`Next: set siteUrl in the config to ${to}${own}.`]),
    'Next: restart the receiver, and put _redirects, the locations of nginx.conf, or redirects made from urls.csv, on the host of the old address.',
  ];
}
