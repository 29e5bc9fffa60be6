import { Command } from 'commander';
import { isOverdue, lastSuccess, type PushStatus, type SiteStatus, siteStatus } from '../../app/status.js';
import { loadSettings } from '../../config/load.js';
import { example, withDir } from '../options.js';
import { type Mark, marked, print, printable, printableLines, printJson } from '../terminal.js';

/** So many of the articles that are not live, or are scheduled, are named. */
const MOST_NAMED = 5;

/** `pressmark status`: what was last seen of a site, from the delivery to the public page. */
export function statusCommand(): Command {
  return withDir(new Command('status'))
    .option('--json', 'print it as JSON')
    .addHelpText('after', example('pressmark status'))
    .action(async ({ dir, json }: { dir: string; json?: boolean }) => {
      const status = await siteStatus(await loadSettings(dir));
      const lines = [...linesOf(status, Date.now())];
      if (json) printJson(status, 2);
      else for (const { mark, text } of lines) print(`${marked(mark)} ${text}`);
      if (lines.some(({ mark }) => mark === 'fail')) process.exitCode = 1;
    });
}

interface Line {
  readonly mark: Mark;
  readonly text: string;
}

/** A tick for what was seen; `!` for what needs a person, and `fail` if it holds articles up. */
function* linesOf(status: SiteStatus, now: number): Generator<Line> {
  const { restart, excluded, malformed, review, addressChange } = status;
  yield* receiverLines(status, now);
  if (restart !== undefined) yield { mark: 'fail', text: `${restart}; restart it` };
  if (addressChange !== undefined) yield { mark: 'fail', text: printable(addressChange) };
  yield* factLines(status, now);
  if (review !== undefined) yield* reviewLines(review);
  yield* liveLines(status, now);
  yield* scheduledLines(status);
  yield* jobLines(status, now);
  for (const { path, reason, hasPrevious, isMalformed, since } of excluded) {
    const why = isMalformed ? 'has malformed front matter' : 'breaks the build';
    const shown = hasPrevious ? 'is shown with its previous text' : 'is left out';
    const text = `${printable(path)} ${why} and ${shown} (${ago(since, now)}): ${printableLines(reason)}`;
    yield { mark: 'fail', text };
  }
  const named = new Set(excluded.map(({ path }) => path));
  for (const { file, reason, isUnread } of malformed)
    if (!named.has(file)) {
      const why = isUnread ? 'cannot be read' : 'is malformed';
      yield { mark: 'fail', text: `${printable(file)} ${why} and is skipped: ${printable(reason)}` };
    }
}

function* reviewLines({ waiting, url, error }: NonNullable<SiteStatus['review']>): Generator<Line> {
  if (error !== null) yield { mark: 'fail', text: `review    ${printable(error)}` };
  if (waiting === 0) return;
  const articles = waiting === 1 ? '1 article waits' : `${waiting} articles wait`;
  const where = url === null ? '; no pull request is open' : `: ${printable(url)}`;
  yield { mark: 'warn', text: `review    ${articles} for review${where}` };
}

function* receiverLines({ receivers, facts }: SiteStatus, now: number): Generator<Line> {
  for (const { pid, port, since, preview, siteUrl } of receivers)
    yield {
      mark: preview ? 'warn' : 'ok',
      text: `receiver  process ${pid} on port ${port}, started ${ago(since, now)}${preview ? `, a preview: articles keep the address ${siteUrl}` : ''}`,
    };
  if (receivers.length > 0) return;
  const isNew = facts.delivery === undefined && facts.build === undefined;
  const left = isNew ? 'run pressmark start' : 'what follows is what the last one has left';
  yield { mark: 'warn', text: `receiver  none is running on this machine; ${left}` };
}

/** The last of each, from the delivery to the deploys. */
function* factLines({ facts, push, targets, search, receivers }: SiteStatus, now: number): Generator<Line> {
  const { delivery, commit, commitError, build, buildError } = facts;
  if (delivery === undefined) yield { mark: 'none', text: 'delivery  none yet' };
  else yield { mark: 'ok', text: `delivery  ${printable(delivery.url)} ${ago(delivery.at, now)}` };
  if (commit !== undefined)
    yield { mark: 'ok', text: `commit    ${printable(commit.subject)} ${ago(commit.at, now)}` };
  if (commitError !== undefined) {
    const text = `${printable(commitError.path)} could not be committed ${ago(commitError.at, now)}: ${printableLines(commitError.reason)}`;
    yield { mark: 'fail', text };
  }
  if (push !== undefined) yield pushLine(push, now);
  if (build !== undefined) yield { mark: 'ok', text: `build     ${ago(build.at, now)}` };
  // A receiver that was killed has left its search behind.
  if (search !== undefined && receivers.length > 0) {
    const among = search.articles === 1 ? '1 article' : `${search.articles} articles`;
    const text = `build     fails; the search for what breaks it, among ${among}, began ${ago(search.since, now)}`;
    yield { mark: 'warn', text };
  } else if (buildError !== undefined) {
    const text = `the last build failed ${ago(buildError.at, now)}: ${printableLines(buildError.reason)}`;
    yield { mark: 'fail', text };
  }
  for (const [name, { deployed, error, attempts, behindSince }] of Object.entries(targets)) {
    const last = lastSuccess(name, deployed && ago(deployed.at, now));
    const trouble =
      error === undefined
        ? ''
        : `; failed ${attempts === 1 ? 'once' : `${attempts} times`} since ${behindSince ?? 'now'}: ${printable(error)}`;
    const mark = error !== undefined ? 'fail' : deployed === undefined ? 'none' : 'ok';
    yield { mark, text: `${printable(name)}: ${last}${trouble}` };
  }
}

function pushLine({ lastPush, waiting, lastError, waitingFor }: PushStatus, now: number): Line {
  const last = lastPush === null ? 'nothing pushed yet' : ago(lastPush, now);
  const rest = waiting === 0 ? '' : `; ${waiting === 1 ? '1 commit waits' : `${waiting} commits wait`}`;
  const trouble = lastError ?? (waitingFor === null ? undefined : `waits for ${waitingFor}`);
  const mark = trouble !== undefined ? 'fail' : lastPush === null ? 'none' : 'ok';
  return { mark, text: `push      ${last}${rest}${trouble === undefined ? '' : `; ${printable(trouble)}`}` };
}

/** The article that was last seen on the public site, and those that were not seen there yet. */
function* liveLines({ facts: { live, awaited }, review }: SiteStatus, now: number): Generator<Line> {
  const isForReview = (review?.waiting ?? 0) > 0; // then its page waits for a person
  if (live !== undefined) yield { mark: 'ok', text: `live      ${printable(live.url)} ${ago(live.at, now)}` };
  for (const article of awaited.slice(-MOST_NAMED)) {
    const { url, at, found } = article;
    const why = found === undefined ? 'not seen on its page yet' : `not live yet: ${printable(found)}`;
    const isFailure = found !== undefined && !isForReview;
    const mark = !isOverdue(article, now) ? 'none' : isFailure ? 'fail' : 'warn';
    yield { mark, text: `live      ${printable(url)} ${why}; delivered ${ago(at, now)}` };
  }
  const others = awaited.length - MOST_NAMED;
  if (others > 0)
    yield { mark: 'warn', text: `live      ${others} more were not seen on their pages; --json names them` };
}

function* scheduledLines({ scheduled }: SiteStatus): Generator<Line> {
  for (const { url, liveAt } of scheduled.slice(0, MOST_NAMED))
    yield { mark: 'none', text: `scheduled ${printable(url)} live at ${liveAt}` };
  const others = scheduled.length - MOST_NAMED;
  if (others > 0) yield { mark: 'none', text: `scheduled ${others} more; --json names them` };
}

/** The jobs of plugins that have failed, and how many wait. */
function* jobLines({ jobs, receivers }: SiteStatus, now: number): Generator<Line> {
  for (const name of new Set(jobs.map(({ job }) => job))) {
    const states = jobs.filter(({ job }) => job === name);
    const failed = states.filter(({ state }) => state.kind === 'failed' || state.kind === 'givenUp');
    for (const { event, id, state } of failed.slice(-MOST_NAMED)) {
      if (state.kind !== 'failed' && state.kind !== 'givenUp') continue;
      const times = state.attempt === 1 ? 'once' : `${state.attempt} times`;
      const next =
        state.kind === 'failed' ? `tried again at ${state.nextAt}` : `given up ${ago(state.at, now)}`;
      const about = id === undefined ? event : `${event} of ${printable(id)}`;
      const text = `job       ${printable(name)} failed ${times} for ${about}, ${next}: ${printableLines(state.error)}`;
      yield { mark: 'fail', text };
    }
    if (failed.length > MOST_NAMED)
      yield {
        mark: 'fail',
        text: `job       ${printable(name)}: ${failed.length - MOST_NAMED} others failed; --json names them`,
      };
    const waiting = states.length - failed.length;
    if (waiting === 0) continue;
    const text = `job       ${printable(name)}: ${waiting === 1 ? '1 event waits' : `${waiting} events wait`}`;
    yield { mark: receivers.length > 0 ? 'none' : 'warn', text };
  }
}

/** How long ago a moment was, in words. */
function ago(at: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1_000));
  if (seconds < 120) return `${seconds} s ago`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min ago`;
  return seconds < 172_800
    ? `${Math.round(seconds / 3_600)} h ago`
    : `${Math.round(seconds / 86_400)} days ago`;
}
