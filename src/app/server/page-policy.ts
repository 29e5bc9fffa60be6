import type { Settings } from '../../config/load.js';
import type { ThemeFolder } from '../../host/pages/page-additions.js';
import { definePlugin, type Plugin } from '../../host/plugin.js';
import { contentSecurityPolicy } from '../../site/render/content-security-policy.js';
import { themeLayers } from '../../site/render/theme.js';
import { themeFolders } from '../builder/theme.js';

/** The Content-Security-Policy of the pages that the preview serves. */
export interface PagePolicy {
  /** Undefined if there is none. */
  now(): string | undefined;
  /** Receives changes of templates. */
  readonly plugin: Plugin;
}

/** The policy for pages of another generator, whose needs are unknown: only other sites' frames are forbidden. */
const OF_GENERATORS = "object-src 'none'; base-uri 'self'; frame-ancestors 'self'";

/**
 * Creates the policy for a site. It allows the scripts of the present templates. @param ofPlugins the folders of plugins.
 * @default none
 */
export function createPagePolicy(settings: Settings, ofPlugins: readonly ThemeFolder[] = []): PagePolicy {
  const { site } = settings;
  let policy: string | undefined;

  function read(): string {
    if (site === false) return OF_GENERATORS;
    return contentSecurityPolicy(themeLayers(themeFolders(settings, ofPlugins)));
  }

  function now(): string | undefined {
    if (site !== false && site.contentSecurityPolicy !== undefined)
      return site.contentSecurityPolicy || undefined;
    policy ??= read();
    return policy;
  }

  const plugin = definePlugin({
    name: 'page-policy',
    receiver: (host) => {
      host.addAction('site.built', () => {
        policy = undefined;
      });
    },
  });
  return { now, plugin };
}
