import { definePlugin, type Plugin } from '../../host/plugins.js';
import { isOutputSynced } from '../../site/write/manifest.js';
import type { EarlyBuilder } from './start-builder.js';

/** Whether the pages may be served; see `createPageCheck`. */
export interface PageCheck {
  /** Whether they are known to be whole. */
  isWhole(): boolean;
  readonly plugin: Plugin;
}

/**
 * Whether the built pages are known to be whole. They are where all of them were on the disk when the last process ended;
 * else when the builder has checked them and found nothing damaged, or has built everything that was.
 *
 * @param stateDir undefined where Pressmark builds no site.
 */
export function createPageCheck(
  stateDir: string | undefined,
  early: Pick<EarlyBuilder, 'isWhole' | 'isUndamaged'>,
): PageCheck {
  let isWhole = stateDir === undefined || isOutputSynced({ stateDir });
  const plugin = definePlugin({
    name: 'page-check',
    setup: (host) => {
      host.addAction('site.built', () => {
        isWhole = true;
      });
    },
  });
  return { isWhole: () => isWhole || early.isWhole() || early.isUndamaged(), plugin };
}
