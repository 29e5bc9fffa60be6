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
    noteBuild(began, runs > 0 ? undefined : facts.now.build?.at);
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

  /** @param at when the output was built, if this build has found it up to date, with all that was delivered before. */
  function noteBuild(began: number, at = new Date().toISOString()): void {
    const beganAt = new Date(Date.now() - (performance.now() - began));
    facts.note({ build: { at, began: beganAt.toISOString() }, buildError: null });
  }

  function noteError(reason: string): void {
    facts.note({ buildError: { at: new Date().toISOString(), reason } });
  }
}
