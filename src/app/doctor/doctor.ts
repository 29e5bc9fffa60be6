import fs from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../config/load.js';
import { messageOf } from '../../errors.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import { isLoopbackName } from '../../host/http/local-request.js';
import { refuseForeignOutput } from '../../site/builder/ownership.js';
import { pagefindVersion } from '../../site/search.js';
import type { Entry } from '../../store/catalog/entry.js';
import { readCatalog } from '../articles/find-article.js';
import { contentOf, HEALTH } from '../content/content.js';
import { foldersOf } from '../content/folders.js';
import { openTargets } from '../deploy.js';
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
    directory(settings),
    lockHelper(),
    ...secret(settings),
    ...(await siteUrl(settings, receivers)),
    ...(await checked('deploy', async () => void (await openTargets(settings, false)))),
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

function directory(settings: Settings): Finding {
  const about = 'directory';
  const { contentDir } = foldersOf(settings);
  const isThere = fs.lstatSync(contentDir, { throwIfNoEntry: false }) !== undefined;
  if (isThere && fs.statSync(contentDir, { throwIfNoEntry: false })?.isDirectory() !== true)
    return fail(
      about,
      `${contentDir} is not a folder, and articles go to that folder`,
      'move it away, or set content in the config to another folder',
    );
  const folder = isThere ? contentDir : settings.dir;
  const probe = join(folder, `.pressmark-doctor-${process.pid}.tmp`);
  try {
    fs.writeFileSync(probe, '');
    fs.unlinkSync(probe);
    fs.readdirSync(folder);
    return ok(about, `articles go to ${contentDir}`);
  } catch (error) {
    const text = `articles cannot be read and written: ${messageOf(error)}`;
    return fail(about, text, `let the user who runs Pressmark read and write ${folder}`);
  }
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
  [receiver]: readonly RunningReceiver[],
): Promise<readonly Finding[]> {
  const about = 'site URL';
  const { siteUrl: url, siteUrlIsGuess } = settings;
  if (siteUrlIsGuess && receiver?.preview === true)
    return [
      warn(
        about,
        `not set; a preview is running, and articles that arrive now keep the address ${receiver.siteUrl}`,
        'delete their files or give them another address with pressmark move; then set siteUrl, and start without --preview',
      ),
    ];
  if (siteUrlIsGuess)
    return checked(about, async () => void refuseUnknownAddress(settings, { preview: false }));
  const findings: Finding[] = [];
  if (receiver !== undefined && receiver.siteUrl !== url)
    findings.push(
      fail(
        about,
        `articles that arrive now get the address ${receiver.siteUrl}, with which the receiver was started, and the settings say ${url}`,
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
  return fetch(`${originOf(receiver)}${HEALTH}`, { signal }).then(
    () => ok('port', `this site’s receiver answers on port ${port} (process ${pid})`),
    () =>
      fail(
        'port',
        `this site’s receiver (process ${pid}) does not answer on port ${port}`,
        'look at its log, and restart it',
      ),
  );
}

/** Whether the site has a search; a site without one is fine. */
function search({ site }: Settings): Finding[] {
  if (site === false) return [];
  if (site.search === false) return [ok('search', 'switched off in the config')];
  const version = pagefindVersion();
  const none = 'none, as the npm package pagefind is not installed; npm install pagefind adds the search';
  return [ok('search', version === undefined ? none : `indexed by Pagefind ${version}`)];
}
