import { isOverdue } from '../deploy/facts.js';
import { type Finding, fail, ok } from './doctor/finding.js';
import type { SiteStatus } from './status.js';

/** The state of a part of the site; `none` if nothing has happened yet. */
export type StatusFinding = Omit<Finding, 'level'> & { readonly level: Finding['level'] | 'none' };

/** The highest number of articles to name. */
const MOST_NAMED = 5;

/**
 * The last steps of a site, from the delivery to the public page, for `status`; their problems are for `doctor` too. The
 * severity is decided only here: `fail` if articles are held up or a person must act.
 */
export function* statusFindings(status: SiteStatus, now: number): Generator<StatusFinding> {
  const { restart, addressChange } = status;
  yield* receiversOf(status, now);
  if (restart !== undefined) yield fail('git', restart, 'restart it; then it commits what it has stored');
  if (addressChange !== undefined) yield { level: 'fail', about: 'site URL', text: addressChange };
  yield* deliveriesOf(status, now);
  yield* pushesOf(status, now);
  yield* buildsOf(status, now);
  yield* deploysOf(status, now);
  yield* reviewsOf(status);
  yield* livePagesOf(status, now);
  yield* scheduledOf(status);
  yield* jobsOf(status, now);
  yield* skippedOf(status, now);
}

function* receiversOf({ receivers, facts }: SiteStatus, now: number): Generator<StatusFinding> {
  const about = 'receiver';
  for (const { pid, port, since, preview, siteUrl } of receivers) {
    const text = `process ${pid} on port ${port}, started ${ago(since, now)}`;
    if (preview) yield noted('warn', about, `${text}, a preview: articles keep the address ${siteUrl}`);
    else yield ok(about, text);
  }
  if (receivers.length > 0) return;
  const isNew = facts.delivery === undefined && facts.build === undefined;
  const left = isNew ? 'run pressmark start' : 'what follows is what the last one has left';
  yield noted('warn', about, `none is running on this machine; ${left}`);
}

function* deliveriesOf({ facts }: SiteStatus, now: number): Generator<StatusFinding> {
  const { delivery, commit, commitError } = facts;
  if (delivery === undefined) yield noted('none', 'delivery', 'none yet');
  else yield ok('delivery', `${delivery.url} ${ago(delivery.at, now)}`);
  if (commit !== undefined) yield ok('commit', `${commit.subject} ${ago(commit.at, now)}`);
  if (commitError === undefined) return;
  const { path, at, reason } = commitError;
  yield noted('fail', 'commit', `${path} could not be committed ${ago(at, now)}: ${reason}`);
}

function* pushesOf({ push }: SiteStatus, now: number): Generator<StatusFinding> {
  if (push === undefined) return;
  const about = 'push';
  const { lastPush, waiting, lastError, isDeclined, waitingFor } = push;
  const last = lastPush === null ? 'nothing pushed yet' : ago(lastPush, now);
  const text = waiting === 0 ? last : `${last}; ${counted(waiting, 'commit waits', 'commits wait')}`;
  const rules =
    'change the rules of the branch or the rights of this user, or push to another branch (git.push.branch); commits stay in this repository until then';
  if (lastError !== null)
    yield fail(about, `${text}; ${lastError}`, isDeclined ? rules : 'Pressmark tries again');
  else if (waitingFor !== null)
    yield fail(about, `${text}; waits for ${waitingFor}`, 'until then commits stay in this repository');
  else yield noted(lastPush === null ? 'none' : 'ok', about, text);
}

function* buildsOf({ facts, isBuiltHere }: SiteStatus, now: number): Generator<StatusFinding> {
  const about = 'build';
  const { build, buildError, delivery } = facts;
  if (build !== undefined) {
    const isBefore = isBuiltHere && delivery !== undefined && delivery.at > build.began;
    yield ok(about, `${ago(build.at, now)}${isBefore ? '; it began before the last delivery' : ''}`);
  } else if (isBuiltHere && delivery !== undefined && buildError === undefined)
    yield noted('none', about, 'none yet; the receiver builds in the background');
  if (isBuiltHere && buildError !== undefined)
    yield fail(
      about,
      `the last build failed ${ago(buildError.at, now)}: ${buildError.reason}`,
      'correct what the build command says; the site shows its last good build until then',
    );
}

function* deploysOf({ targets }: SiteStatus, now: number): Generator<StatusFinding> {
  for (const [name, target] of Object.entries(targets)) {
    const { deployed, error, attempts, behindSince = 'now', isDeclined = false } = target;
    const text = `${name}: ${lastSuccess(name, deployed && ago(deployed.at, now))}`;
    const failed = `failed ${times(attempts)} since ${behindSince}: ${error}`;
    const rules =
      'change the rules of the branch or the rights of this user; the site stays as it is there until then';
    if (error !== undefined)
      yield fail('deploy', `${text}; ${failed}`, isDeclined ? rules : 'correct that; Pressmark tries again');
    else yield noted(deployed === undefined ? 'none' : 'ok', 'deploy', text);
  }
}

/** The last success of a target, in words. Of a hook or a command, only its call or its end is known. */
function lastSuccess(target: string, when: string | undefined): string {
  if (target === 'hook') return when === undefined ? 'never called' : `called ${when}`;
  if (target.startsWith('command '))
    return when === undefined ? 'never run without an error' : `run without an error ${when}`;
  return when === undefined ? 'never deployed' : `deployed ${when}`;
}

function* reviewsOf({ review }: SiteStatus): Generator<StatusFinding> {
  if (review === undefined) return;
  const { waiting, url, error } = review;
  if (error !== null) yield fail('review', error, 'open the pull request by hand until it works');
  if (waiting === 0) return;
  const where = url === null ? '; no pull request is open' : `: ${url}`;
  const articles = counted(waiting, 'article waits', 'articles wait');
  yield noted('warn', 'review', `${articles} for review${where}`);
}

const SEVERITY = ['none', 'warn', 'fail'] as const;

/** The last article that was seen on the public site, and the articles that were not, the worst ones last. */
function* livePagesOf({ facts }: SiteStatus, now: number): Generator<StatusFinding> {
  const about = 'live';
  const { live, awaited } = facts;
  if (live !== undefined) yield ok(about, `${live.url} ${ago(live.at, now)}`);
  const judged = awaited
    .map((article) => {
      const { url, at, review, found } = article;
      const level = found === undefined ? ('warn' as const) : ('fail' as const);
      const notSeen = review === 'waiting' ? 'waits for review' : 'not seen on its page yet';
      const why = found === undefined ? notSeen : `not live yet: ${found}`;
      const text = `${url} ${why}; ${review === 'merged' ? 'merged' : 'delivered'} ${ago(at, now)}`;
      return { level: isOverdue(article, now) ? level : ('none' as const), text };
    })
    .toSorted((one, other) => SEVERITY.indexOf(one.level) - SEVERITY.indexOf(other.level));
  const others = judged.splice(0, judged.length - MOST_NAMED);
  const fix = 'open the page in a browser; look at the host’s log and its cache';
  const worst = others.at(-1)?.level;
  if (worst !== undefined)
    yield noted(worst, about, `${others.length} more were not seen on their pages; --json names them`);
  for (const { level, text } of judged)
    yield level === 'fail' ? fail(about, text, fix) : noted(level, about, text);
}

function* scheduledOf({ scheduled }: SiteStatus): Generator<StatusFinding> {
  for (const { url, liveAt } of scheduled.slice(0, MOST_NAMED))
    yield noted('none', 'scheduled', `${url} live at ${liveAt}`);
  const others = scheduled.length - MOST_NAMED;
  if (others > 0) yield noted('none', 'scheduled', `${others} more; --json names them`);
}

/** Failed jobs of plugins, and the number of waiting ones. */
function* jobsOf({ jobs, receivers }: SiteStatus, now: number): Generator<StatusFinding> {
  const about = 'job';
  for (const name of new Set(jobs.map(({ job }) => job))) {
    const ofName = jobs.filter(({ job }) => job === name);
    const failed = ofName.flatMap(({ event, id, state }) => {
      if (state.kind !== 'failed' && state.kind !== 'givenUp') return [];
      const next =
        state.kind === 'failed' ? `tried again at ${state.nextAt}` : `given up ${ago(state.at, now)}`;
      const what = id === undefined ? event : `${event} of ${id}`;
      return [`${name} failed ${times(state.attempt)} for ${what}, ${next}: ${state.error}`];
    });
    for (const text of failed.slice(-MOST_NAMED)) yield noted('fail', about, text);
    const others = failed.length - MOST_NAMED;
    if (others > 0) yield noted('fail', about, `${name}: ${others} others failed; --json names them`);
    const waiting = ofName.length - failed.length;
    const level = receivers.length > 0 ? 'none' : 'warn';
    if (waiting > 0) yield noted(level, about, `${name}: ${counted(waiting, 'event waits', 'events wait')}`);
  }
}

/** Articles that the site does not show, or shows with an earlier text. */
function* skippedOf({ excluded, malformed }: SiteStatus, now: number): Generator<StatusFinding> {
  for (const { path, reason, hasPrevious, isMalformed, since } of excluded) {
    const why = isMalformed ? 'has malformed front matter' : 'breaks the build';
    const shown = hasPrevious ? 'is shown with its previous text' : 'is left out';
    yield fail(
      'build',
      `${path} ${why} and ${shown} (${ago(since, now)}): ${reason}`,
      isMalformed
        ? 'correct the file; it is built again then'
        : 'correct the file, the layout or the schema; the next build tries it again, also without a change',
    );
  }
  const named = new Set(excluded.map(({ path }) => path));
  for (const { file, reason, isUnread } of malformed)
    if (!named.has(file))
      yield fail(
        'articles',
        isUnread ? `${file} cannot be read: ${reason}` : `${file} is malformed, ${reason}`,
        isUnread
          ? 'let the user who runs Pressmark read the file, or restore it from git or a backup; until then the article is skipped'
          : 'fix the front matter; until then the article is skipped',
      );
}

/** A finding without a separate fix. */
function noted(level: StatusFinding['level'], about: string, text: string): StatusFinding {
  return { level, about, text };
}

function counted(n: number, one: string, several: string): string {
  return n === 1 ? `1 ${one}` : `${n} ${several}`;
}

function times(n: number): string {
  return n === 1 ? 'once' : `${n} times`;
}

/** The time since a moment, in words. */
function ago(at: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1_000));
  if (seconds < 120) return `${seconds} s ago`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min ago`;
  return seconds < 172_800
    ? `${Math.round(seconds / 3_600)} h ago`
    : `${Math.round(seconds / 86_400)} days ago`;
}
