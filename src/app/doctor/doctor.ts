import fs from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../config/load.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { messageOf } from '../../errors.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import { isReservedUrl } from '../../site/outputs/addresses.js';
import { siteInfoOf } from '../../site/render/site-info.js';
import { pagefindVersion } from '../../site/search.js';
import { createCatalog } from '../../store/catalog/catalog.js';
import type { ContentFolder } from '../../store/catalog/content-folder.js';
import type { Entry } from '../../store/catalog/entry.js';
import { scan } from '../../store/catalog/scan.js';
import { malformedIn } from '../articles/malformed-articles.js';
import { addressChange, addressChangeFix, addressChangeText } from '../articles/stored-urls.js';
import { buildsSite } from '../builder/site-builder.js';
import { contentOf } from '../content/content.js';
import { foldersOf } from '../content/folders.js';
import { MIN_SECRET_CHARS } from '../init/secret.js';
import { type RunningReceiver, runningReceivers } from '../running-receivers.js';
import { isExampleUrl, refuseUnknownAddress } from '../site-address.js';
import { deployFindings } from './deploy-findings.js';
import { type Finding, refusal, refusalOf } from './finding.js';
import { generatorFindings } from './generator-findings.js';
import { gitFindings } from './git-findings.js';
import { pluginFindings } from './plugin-findings.js';
import { pushFindings } from './push-findings.js';
import { startFindings } from './start-findings.js';

/** Looks at everything a receiver needs, and changes nothing but for a probe file. */
export async function examine(settings: Settings): Promise<Finding[]> {
  const { receivers, unseen } = await lookForReceivers(settings);
  return [
    directory(settings),
    lockHelper(),
    ...secret(settings),
    ...(await siteUrl(settings, receivers)),
    ...(await startFindings(settings, receivers)),
    ...unseen,
    ...(await contentFindings(settings)),
    ...(await pluginFindings(settings)),
    ...(await gitFindings(settings, receivers)),
    ...(await pushFindings(settings)),
    ...(await searchFinding(settings)),
    ...deployFindings(settings),
  ];
}

/** The receivers of this site that run; why that cannot be found out. */
async function lookForReceivers(
  settings: Settings,
): Promise<{ receivers: readonly RunningReceiver[]; unseen: readonly Finding[] }> {
  try {
    return { receivers: await runningReceivers(settings), unseen: [] };
  } catch (error) {
    return { receivers: [], unseen: [refusal('receiver', error)] };
  }
}

function directory(settings: Settings): Finding {
  const about = 'directory';
  const { contentDir } = foldersOf(settings);
  const isThere = fs.lstatSync(contentDir, { throwIfNoEntry: false }) !== undefined;
  if (isThere && fs.statSync(contentDir, { throwIfNoEntry: false })?.isDirectory() !== true)
    return {
      level: 'fail',
      about,
      text: `${contentDir} is not a folder, and articles go to that folder`,
      fix: 'move it away, or set content in the config to another folder',
    };
  const folder = isThere ? contentDir : settings.dir;
  const probe = join(folder, `.pressmark-doctor-${process.pid}.tmp`);
  try {
    fs.writeFileSync(probe, '');
    fs.unlinkSync(probe);
    fs.readdirSync(folder);
  } catch (error) {
    return {
      level: 'fail',
      about,
      text: `articles cannot be read and written: ${messageOf(error)}`,
      fix: `let the user who runs Pressmark read and write ${folder}`,
    };
  }
  return { level: 'ok', about, text: `articles go to ${contentDir}` };
}

function lockHelper(): Finding {
  const about = 'lock helper';
  try {
    return { level: 'ok', about, text: findLockHelper().name };
  } catch (error) {
    return { level: 'fail', about, text: messageOf(error), fix: 'install util-linux' };
  }
}

function secret({ secrets, dir }: Settings): Finding[] {
  const about = 'secret';
  if (secrets.length === 0)
    return [
      {
        level: 'fail',
        about,
        text: 'no signing secret is set',
        fix: 'put PRESSMARK_SECRET into .env, or run pressmark init',
      },
    ];
  const findings: Finding[] = [];
  if (secrets.some((value) => value.length < MIN_SECRET_CHARS || new Set(value).size < 8)) {
    const fix = `use the one that the service issued, or ${MIN_SECRET_CHARS} random characters or more`;
    findings.push({
      level: 'warn',
      about,
      text: 'the secret is too short or too simple, and could be guessed',
      fix,
    });
  }
  const mode = fs.statSync(join(dir, '.env'), { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) !== 0)
    findings.push({
      level: 'warn',
      about,
      text: 'others on this machine can read .env',
      fix: 'chmod 600 .env',
    });
  if (findings.length === 0)
    findings.push({
      level: 'ok',
      about,
      text: secrets.length === 1 ? 'set' : `${secrets.length} are set, while one is being replaced`,
    });
  return findings;
}

/** The address that articles get; a receiver that runs keeps the one with which it was started. */
async function siteUrl(settings: Settings, [receiver]: readonly RunningReceiver[]): Promise<Finding[]> {
  const about = 'site URL';
  const { siteUrl: url, siteUrlIsGuess } = settings;
  if (siteUrlIsGuess && receiver?.preview === true)
    return [
      {
        level: 'warn',
        about,
        text: `not set; a preview is running, and articles that arrive now keep the address ${receiver.siteUrl}`,
        fix: 'delete their files or give them another address with pressmark move; then set siteUrl, and start without --preview',
      },
    ];
  if (siteUrlIsGuess) return refusalOf(about, () => refuseUnknownAddress(settings, { preview: false }));
  const findings: Finding[] = [];
  if (receiver !== undefined && receiver.siteUrl !== url)
    findings.push({
      level: 'fail',
      about,
      text: `articles that arrive now get the address ${receiver.siteUrl}, with which the receiver was started, and the settings say ${url}`,
      fix: 'restart the receiver',
    });
  const { protocol, hostname } = new URL(url);
  if (/^(?:localhost|127\.|\[::1\]$)/.test(hostname))
    findings.push({
      level: 'warn',
      about,
      text: `${url} is this machine`,
      fix: 'set the public address before the first real article: URLs are frozen at publication',
    });
  else if (isExampleUrl(url))
    findings.push({
      level: 'warn',
      about,
      text: `${url} is an example`,
      fix: 'set the site’s own address before the first article: URLs are frozen at publication',
    });
  else if (protocol === 'http:')
    findings.push({ level: 'warn', about, text: `${url} is not https`, fix: 'use https if the site has it' });
  return findings.length > 0 ? findings : [{ level: 'ok', about, text: url }];
}

async function contentFindings(settings: Settings): Promise<Finding[]> {
  const guarded = (about: string, find: () => Promise<Finding[]>) =>
    find().catch((error: unknown) => [refusal(about, error)]);
  return [
    ...(await guarded('site URL', async () => leftBehind(settings))),
    ...(await guarded('articles', () => articles(settings))),
    ...(await guarded('generator', () => generatorFindings(settings))),
  ];
}

function leftBehind(settings: Settings): Finding[] {
  if (settings.siteUrlIsGuess) return []; // the other finding on the site's URL says what to do
  const change = addressChange(settings);
  if (change === undefined) return [];
  const text = addressChangeText(change, settings.siteUrl);
  return [{ level: 'fail', about: 'site URL', text, fix: addressChangeFix(settings) }];
}

async function articles(settings: Settings): Promise<Finding[]> {
  const { contentDir } = foldersOf(settings);
  const content = contentOf(settings);
  if (!fs.existsSync(contentDir)) return [{ level: 'ok', about: 'articles', text: 'none yet' }];
  const catalog = createCatalog();
  const { files } = await scan(content, catalog);
  const entries = [...catalog.entries()];
  const findings = [
    ...malformed(settings, entries),
    ...atReservedUrls(entries, content, settings),
    ...duplicates(entries, 'id', ({ id }) => id),
    ...duplicates(
      entries.filter(({ address }) => address?.kind !== 'unknown'),
      'URL',
      ({ url }) => canonicalUrl(url) ?? url,
    ),
  ];
  return findings.length > 0
    ? findings
    : [
        {
          level: 'ok',
          about: 'articles',
          text: files === 0 ? 'none yet' : `${files}, each with a unique id and URL`,
        },
      ];
}

function malformed(settings: Settings, entries: readonly Entry[]): Finding[] {
  return malformedIn(settings, entries).map(({ file, reason, isUnread }) => ({
    level: 'fail',
    about: 'articles',
    text: isUnread ? `${file} cannot be read: ${reason}` : `${file} is malformed, ${reason}`,
    fix: isUnread
      ? 'let the user who runs Pressmark read the file, or restore it from git or a backup; until then the article is skipped'
      : 'fix the front matter; until then the article is skipped',
  }));
}

/** Articles that people, or versions with a shorter list, have put where something else is answered. */
function atReservedUrls(
  entries: readonly Entry[],
  { reservedUrls }: ContentFolder,
  settings: Settings,
): Finding[] {
  const site = buildsSite(settings)
    ? siteInfoOf(settings.siteUrl, { ...settings.site, search: settings.site.search !== false })
    : undefined;
  return entries.flatMap(({ path, url, broken }): Finding[] => {
    if (broken !== undefined) return [];
    const canonical = canonicalUrl(url);
    const fix = 'give it another url in its front matter, and redirect the old one';
    if (site !== undefined && isReservedUrl(url, site))
      return [
        { level: 'fail', about: 'articles', text: `${path} has no page: the site's own are at ${url}`, fix },
      ];
    if (canonical === undefined || !reservedUrls.has(canonical)) return [];
    const text = `${path} is not served by the receiver, which answers ${url} itself`;
    return [{ level: 'warn', about: 'articles', text, fix: `set another endpoint in the config, or ${fix}` }];
  });
}

function duplicates(entries: readonly Entry[], what: string, keyOf: (entry: Entry) => string): Finding[] {
  return [...groupBy(entries, keyOf)].flatMap(([key, group]) => {
    if (group.length < 2) return [];
    const text = `${group.length} files have the ${what} ${JSON.stringify(key.slice(0, 100))}: ${group.map(({ path }) => path).join(', ')}`;
    return [
      {
        level: 'fail',
        about: 'articles',
        text,
        fix: `remove all but one, or give each file a unique ${what}`,
      } as const,
    ];
  });
}

function groupBy(entries: readonly Entry[], keyOf: (entry: Entry) => string): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) groups.set(keyOf(entry), [...(groups.get(keyOf(entry)) ?? []), entry]);
  return groups;
}

/** Whether the site has a search. A site without one is not a fault. */
async function searchFinding({ site }: Settings): Promise<Finding[]> {
  const about = 'search';
  if (site === false) return [];
  if (site.search === false) return [{ level: 'ok', about, text: 'switched off in the config' }];
  const version = pagefindVersion();
  if (version !== undefined) return [{ level: 'ok', about, text: `indexed by Pagefind ${version}` }];
  return [{ level: 'ok', about, text: 'none; its program (npm package pagefind) is not installed' }];
}
