import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from '../../config/load.js';
import { messageOf, systemCode } from '../../errors.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import { isLoopbackName } from '../../host/http/local-request.js';
import { refuseForeignOutput } from '../../site/builder/ownership.js';
import { pagefindVersion } from '../../site/search.js';
import type { Entry } from '../../store/catalog/entry.js';
import { readCatalog } from '../articles/find-article.js';
import { contentOf, HEALTH } from '../content/content.js';
import { foldersOf } from '../content/folders.js';
import { openTargets, targetsBeforeReview } from '../deploy.js';
import { MIN_SECRET_CHARS } from '../init/env-file.js';
import { originOf, type RunningReceiver } from '../running-receivers.js';
import { tryPort } from '../server/server.js';
import { isExampleUrl, refuseUnknownAddress } from '../site-address.js';
import { type SiteStatus, siteStatusOf } from '../status.js';
import { statusFindings } from '../status-findings.js';
import { articleFindings } from './article-findings.js';
import { checked, type Finding, fail, ok, warn } from './finding.js';
import { generatorFindings } from './generator-findings.js';
import { gitFindings, pushFindings } from './git-findings.js';
import { pluginFindings } from './plugin-findings.js';

/** How long a receiver on the port may take to answer, in milliseconds. */
const ANSWER_MS = 10_000;

/** Checks everything that a receiver needs. It changes nothing, apart from a probe file. */
export async function examine(settings: Settings): Promise<Finding[]> {
  let entries: readonly Entry[] = [];
  let isRead = false;
  let status: Partial<SiteStatus> = {};
  const ofArticles = await checked('articles', async () => {
    entries = [...(await readCatalog(settings)).entries()];
    isRead = true;
    return articleFindings(settings, entries);
  });
  const ofStatus = await checked('status', async () => {
    if (!isRead) return undefined; // the finding on articles says why
    const known = await siteStatusOf(settings, contentOf(settings), entries);
    status = known;
    return troubleIn(known);
  });
  const { receivers = [], restart } = status;
  return [
    ...(await checked('directory', async () => folders(settings))),
    lockHelper(),
    ...secret(settings),
    ...(await siteUrl(settings, receivers)),
    ...(await checked('deploy', () => deployTargets(settings))),
    ...(await checked('output', async () => {
      if (settings.site !== false) refuseForeignOutput(foldersOf(settings), settings.output);
    })),
    ...(await portFindings(settings, receivers)),
    ...ofArticles,
    ...(await checked('generator', () => generatorFindings(settings, entries))),
    ...(await pluginFindings(settings)),
    ...(await gitFindings(settings, restart)),
    ...(await pushFindings(settings)),
    ...search(settings),
    ...ofStatus,
  ];
}

/** The problems that `status` shows too; receivers are checked above. */
function troubleIn(status: SiteStatus): Finding[] {
  return [...statusFindings(status, Date.now())].flatMap(({ level, ...finding }) =>
    level === 'ok' || level === 'none' || finding.about === 'receiver' ? [] : [{ level, ...finding }],
  );
}

/** Whether the folders that a receiver writes can be written, or made. */
function folders(settings: Settings): Finding[] {
  const { contentDir, stateDir, outputDir } = foldersOf(settings);
  const faults = [
    ...unusable(contentDir, 'articles', 'content'),
    ...unusable(stateDir, 'the receiver’s own files'),
    ...(settings.site === false ? [] : unusable(outputDir, 'pages', 'output')),
  ];
  return faults.length > 0 ? faults : [ok('directory', `articles go to ${contentDir}`)];
}

/** @param setting the setting that names the folder. */
function unusable(folder: string, what: string, setting?: string): Finding[] {
  const about = 'directory';
  const present = nearestPresent(folder);
  if (fs.statSync(present, { throwIfNoEntry: false })?.isDirectory() !== true) {
    const text = `${present} is not a folder, and ${what} go to ${present === folder ? 'that folder' : folder}`;
    const other = setting === undefined ? '' : `, or set ${setting} in the config to another folder`;
    return [fail(about, text, `move it away${other}`)];
  }
  const probe = join(present, `.pressmark-doctor-${process.pid}.tmp`);
  try {
    fs.writeFileSync(probe, '');
    fs.unlinkSync(probe);
    fs.readdirSync(present);
    return [];
  } catch (error) {
    const text = `${what} cannot be read and written: ${messageOf(error)}`;
    return [fail(about, text, `let the user who runs Pressmark read and write ${present}`)];
  }
}

/** A path, or its nearest parent that is there. A link is there even if it leads nowhere. */
function nearestPresent(path: string): string {
  try {
    if (fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined) return path;
  } catch (error) {
    if (systemCode(error) !== 'ENOTDIR') throw error; // a parent is a file
  }
  return nearestPresent(dirname(path));
}

/** Whether the targets can be as the config says, and which get articles before their review. */
async function deployTargets(settings: Settings): Promise<Finding[]> {
  const early = targetsBeforeReview(settings, await openTargets(settings, false));
  const text = `articles are deployed before their review: ${early.join(', ')}`;
  const fix =
    'let a host build the merged branch, and set deploy to { hook: true } or []; if only reviewers see these targets, leave them';
  return early.length > 0 ? [warn('deploy', text, fix)] : [];
}

function lockHelper(): Finding {
  const about = 'lock helper';
  try {
    return ok(about, findLockHelper().name);
  } catch (error) {
    return fail(about, messageOf(error), 'install util-linux');
  }
}

function secret({ secrets, dir }: Settings): Finding[] {
  const about = 'secret';
  if (secrets.length === 0)
    return [fail(about, 'no signing secret is set', 'put PRESSMARK_SECRET into .env, or run pressmark init')];
  const findings: Finding[] = [];
  if (secrets.some((value) => value.length < MIN_SECRET_CHARS || new Set(value).size < 8))
    findings.push(
      warn(
        about,
        'the secret is too short or too simple, and could be guessed',
        `use the one that the service issued, or ${MIN_SECRET_CHARS} random characters or more`,
      ),
    );
  const mode = fs.statSync(join(dir, '.env'), { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) !== 0)
    findings.push(warn(about, 'others on this machine can read .env', 'chmod 600 .env'));
  if (findings.length > 0) return findings;
  const { length } = secrets;
  return [ok(about, length === 1 ? 'set' : `${length} are set, while one is being replaced`)];
}

/** The address for articles. A running receiver keeps the one that it was started with. */
async function siteUrl(
  settings: Settings,
  receivers: readonly RunningReceiver[],
): Promise<readonly Finding[]> {
  const about = 'site URL';
  const { siteUrl: url, siteUrlIsGuess } = settings;
  const preview = receivers.find((receiver) => receiver.preview);
  if (siteUrlIsGuess && preview !== undefined)
    return [
      warn(
        about,
        `not set; a preview is running, and articles that arrive now keep the address ${preview.siteUrl}`,
        'delete their files or give them another address with pressmark move; then set siteUrl, and start without --preview',
      ),
    ];
  const [running] = receivers;
  if (siteUrlIsGuess && running !== undefined)
    return [
      warn(
        about,
        `the receiver (process ${running.pid}) was started with ${running.siteUrl}, and the settings of this command have none`,
        'if the environment of the receiver sets it, all is well; if not, set siteUrl in the config, as the next start is refused without it',
      ),
    ];
  if (siteUrlIsGuess)
    return checked(about, async () => void refuseUnknownAddress(settings, { preview: false }));
  const findings: Finding[] = [];
  const other = receivers.find((receiver) => receiver.siteUrl !== url);
  if (other !== undefined)
    findings.push(
      fail(
        about,
        `articles that arrive now get the address ${other.siteUrl}, with which the receiver was started, and the settings say ${url}`,
        'restart the receiver',
      ),
    );
  const { protocol, hostname } = new URL(url);
  const fix = 'set the public address before the first real article: URLs are frozen at publication';
  if (isLoopbackName(hostname)) findings.push(warn(about, `${url} is this machine`, fix));
  else if (isExampleUrl(url)) findings.push(warn(about, `${url} is an example`, fix));
  else if (protocol === 'http:')
    findings.push(warn(about, `${url} is not https`, 'use https if the site has it'));
  return findings.length > 0 ? findings : [ok(about, url)];
}

/** Whether the site's receivers answer; if none is running, whether the port is free. */
export async function portFindings(
  { port, host }: Settings,
  receivers: readonly RunningReceiver[],
): Promise<readonly Finding[]> {
  if (receivers.length > 0) return Promise.all(receivers.map(answering));
  if (port === 0) return []; // the system chooses one
  return checked('port', async () => {
    await tryPort(port, host);
    return [ok('port', `${port} is free; no receiver of this site is running on this machine`)];
  });
}

async function answering(receiver: RunningReceiver): Promise<Finding> {
  const { port, pid } = receiver;
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    const answer = await fetch(`${originOf(receiver)}${HEALTH}`, { signal });
    const { error } = (await answer.json()) as { readonly error?: string };
    if (error === undefined)
      return ok('port', `this site’s receiver answers on port ${port} (process ${pid})`);
    const text = `this site’s receiver on port ${port} (process ${pid}) says: ${error}`;
    return fail(
      'port',
      text,
      'correct that; until then deliveries are refused, and the service repeats them',
    );
  } catch {
    return fail(
      'port',
      `this site’s receiver (process ${pid}) does not answer on port ${port}`,
      'look at its log, and restart it',
    );
  }
}

/** Whether the site has a search; a site without one is fine. */
function search({ site }: Settings): Finding[] {
  if (site === false) return [];
  if (site.search === false) return [ok('search', 'switched off in the config')];
  const version = pagefindVersion();
  const none = 'none, as the npm package pagefind is not installed; npm install pagefind adds the search';
  return [ok('search', version === undefined ? none : `indexed by Pagefind ${version}`)];
}
