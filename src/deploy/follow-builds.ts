import { filesOfAddress } from '../article/address/files-of-address.js';
import type { ReceiverHost } from '../host/plugin.js';
import { readBuildState } from './build/build-state.js';
import { addressBelow } from './build/pages.js';
import type { DeployQueue } from './deploy-queue.js';
import type { AwaitedArticle, Facts } from './facts.js';
import type { AwaitedArticles } from './live/awaited.js';
import type { OutputSource } from './targets/target.js';

/** What follows builds. */
export interface BuildFollowers {
  readonly source: OutputSource;
  readonly stateDir: string;
  readonly facts: Facts;
  readonly queue: Pick<DeployQueue, 'changed'>;
  /** Undefined without a live check. */
  readonly awaited: AwaitedArticles | undefined;
}

/** Starts deploys and live checks after each build, if the site is built here. */
export function followBuilds(host: ReceiverHost, followers: BuildFollowers): void {
  const { source, stateDir, facts, queue, awaited } = followers;

  host.addAction('site.built', ({ files, articles, failed, failures, output, began }) => {
    source.onChange?.(output);
    const [first] = failures;
    const why = first === undefined ? 'the log says why' : `${first.page}: ${first.reason}`;
    const reason = `${failed} ${failed === 1 ? 'page' : 'pages'} could not be built or are incomplete; ${why}`;
    if (failed === 0) noteBuild(began);
    else noteError(reason);
    const written = new Set(files);
    const isWritten = (url: string) =>
      filesOfAddress(addressBelow(host.site.url, url) ?? '').some((file) => written.has(file));
    const isAffected = (path: string) => articles.length === 0 || articles.includes(path);
    built(began, ({ path, url }) => (failed === 0 ? isAffected(path) : isWritten(url)));
  });
  host.addAction('search.written', () => queue.changed());
  host.addAction('build.done', ({ runs, began }) => {
    if (runs > 0) noteBuild(began);
    else facts.note({ buildError: null }); // the output was already up to date
    const excluded = new Set(readBuildState(stateDir).excluded.map(({ path }) => path));
    built(began, ({ path }) => !excluded.has(path));
  });
  host.addAction('build.failed', ({ reason }) => noteError(reason));
  host.addAction('host.ready', () => queue.changed());

  function built(began: number, isBuilt: (article: AwaitedArticle) => boolean): void {
    queue.changed();
    awaited?.built(began, isBuilt);
    awaited?.look();
  }

  function noteBuild(began: number): void {
    const now = Date.now();
    const beganAt = new Date(now - (performance.now() - began));
    facts.note({
      build: { at: new Date(now).toISOString(), began: beganAt.toISOString() },
      buildError: null,
    });
  }

  function noteError(reason: string): void {
    facts.note({ buildError: { at: new Date().toISOString(), reason } });
  }
}
