import { definePlugin, type Plugin } from '../../host/plugins.js';
import { isCheckedSinceBoot } from '../../site/write/boot.js';
import { isOutputSynced, manifestPath } from '../../site/write/manifest.js';
import type { EarlyBuilder } from './start-builder.js';

/** Whether the pages may be served; see `createPageCheck`. */
export interface PageCheck {
  /** Whether they are known to be whole. */
  isWhole(): boolean;
  readonly plugin: Plugin;
}

/**
 * Whether the built pages are known to be whole: all of them were on the disk when the last process ended, or they have been
 * checked since the system was started, or the builder has now found no damage, or has built again what was damaged.
 *
 * @param stateDir undefined where Pressmark builds no site.
 */
export function createPageCheck(
  stateDir: string | undefined,
  early: Pick<EarlyBuilder, 'isWhole' | 'isUndamaged'>,
): PageCheck {
  let isWhole =
    stateDir === undefined || isOutputSynced(manifestPath({ stateDir })) || isCheckedSinceBoot({ stateDir });
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
