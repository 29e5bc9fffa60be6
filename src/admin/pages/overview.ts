import type { LastSeen } from '../../host/records.js';
import { type AdminPage, type AdminRoom, redirect, view } from '../page.js';
import type { Level } from '../views.js';
import { actionsOn, widgetsOf } from './added.js';

/** One step between the delivery and the public page. */
export interface Station {
  /** The key of its name in the words, after `overview.`. */
  readonly name: string;
  /** The name of the deploy target, if it is a deploy. */
  readonly target?: string;
  readonly level: Level;
  /** When it last succeeded, ISO 8601. */
  readonly at?: string | undefined;
  /** What succeeded, such as the subject of a commit. */
  readonly what?: string;
  readonly url?: string;
  /** The last error. */
  readonly error?: string;
  readonly errorAt?: string;
  /** The number of waiting items. */
  readonly waiting?: number;
}

const LISTED = 10;
const DAYS = 30;
const DAY_MS = 86_400_000;

/** The first page: whether everything works, what needs a person, and what came last. */
export function overviewPages({ host }: AdminRoom): AdminPage[] {
  return [
    {
      path: '',
      title: 'overview.title',
      role: 'editor',
      menu: 10,
      show: async ({ user, query }) => {
        const now = Date.now();
        const [seen, doctor, deliveries, { rows: articles }, dates, widgets] = await Promise.all([
          host.lastSeen(),
          host.doctor(),
          host.deliveries({ limit: LISTED }),
          host.articles.search({ size: LISTED }),
          host.articles.datesSince(now - (DAYS + 1) * DAY_MS),
          widgetsOf(host, user, query),
        ]);
        const wanted = doctor.findings.filter(({ level }) => level !== 'ok');
        return view('overview', {
          stations: stationsOf(seen),
          doctor,
          wanted,
          deliveries,
          articles,
          days: articlesPerDay(dates, host.site.timeZone, now),
          widgets,
          actions: actionsOn(host, 'overview', user),
        });
      },
      actions: {
        doctor: {
          run: async () => {
            await host.doctor(true);
            return redirect('');
          },
        },
      },
    },
  ];
}

/** The steps of this site, from the delivery to the public page. */
export function stationsOf({ facts, push, targets }: LastSeen): Station[] {
  const { delivery, commit, commitError, build, buildError, live, awaited } = facts;
  const stations: Station[] = [
    {
      name: 'delivery',
      level: delivery === undefined ? 'none' : 'ok',
      ...(delivery !== undefined && { at: delivery.at, url: delivery.url, what: delivery.url }),
    },
  ];
  if (commit !== undefined || commitError !== undefined)
    stations.push({
      name: 'commit',
      level: commitError === undefined ? 'ok' : 'fail',
      ...(commit !== undefined && { at: commit.at, what: commit.subject }),
      ...(commitError !== undefined && {
        error: `${commitError.path}: ${commitError.reason}`,
        errorAt: commitError.at,
      }),
    });
  if (push !== undefined) {
    const error = push.lastError ?? push.waitingFor;
    stations.push({
      name: 'push',
      level: error !== null ? 'fail' : push.lastPush === null ? 'none' : 'ok',
      waiting: push.waiting,
      ...(push.lastPush !== null && { at: push.lastPush }),
      ...(error !== null && { error }),
    });
  }
  if (build !== undefined || buildError !== undefined)
    stations.push({
      name: 'build',
      level: buildError === undefined ? 'ok' : 'fail',
      at: build?.at,
      ...(buildError !== undefined && { error: buildError.reason, errorAt: buildError.at }),
    });
  for (const [target, { deployed, error, behindSince }] of Object.entries(targets))
    stations.push({
      name: 'deploy',
      target,
      level: error !== undefined ? 'fail' : deployed === undefined ? 'none' : 'ok',
      at: deployed?.at,
      ...(error !== undefined && { error }),
      ...(error !== undefined && behindSince !== undefined && { errorAt: behindSince }),
    });
  if (live !== undefined || awaited.length > 0) {
    const missed = awaited.findLast(({ found }) => found !== undefined);
    stations.push({
      name: 'live',
      level: missed !== undefined ? 'warn' : live === undefined ? 'none' : 'ok',
      waiting: awaited.length,
      ...(live !== undefined && { at: live.at, url: live.url, what: live.url }),
      ...(missed !== undefined && { error: `${missed.url}: ${missed.found}`, errorAt: missed.at }),
    });
  }
  return stations;
}

/** A day and its number of articles. */
export interface Day {
  /** ISO 8601, without a time. */
  readonly day: string;
  readonly count: number;
}

/** The number of articles by date for each of the last days, oldest first. @param dates in ms since 1970. */
export function articlesPerDay(dates: readonly number[], timeZone: string, now: number): Day[] {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  const days = new Map<string, number>();
  // Computed from the date, not the time: a day on which clocks change does not have 24 hours.
  const today = Date.parse(format.format(now));
  for (let back = DAYS - 1; back >= 0; back--)
    days.set(new Date(today - back * DAY_MS).toISOString().slice(0, 10), 0);
  for (const date of dates) {
    const day = format.format(date);
    const count = days.get(day);
    if (count !== undefined) days.set(day, count + 1);
  }
  return [...days].map(([day, count]) => ({ day, count }));
}
