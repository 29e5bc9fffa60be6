import { quote } from '../errors.js';
import type { PluginsService } from './admin/plugins-service.js';
import type { PreviewService } from './admin/preview-service.js';
import type { SetupService } from './admin/setup-service.js';
import type { BuildsService, GitService } from './admin/site-services.js';
import { invalid } from './invalid.js';

/** The services that plugins provide to others, by name. A plugin adds its own types with `declare module 'pressmark'`. */
export interface Services {
  /** The plugins of the site, for the admin. */
  readonly plugins: PluginsService;
  /** The receiver's setup, for the admin. */
  readonly setup: SetupService;
  /** Pages of articles that are not stored. */
  readonly preview: PreviewService;
  /** Builds and deploys. */
  readonly builds: BuildsService;
  /** The state of the site in git. */
  readonly git: GitService;
}

/** A service by its name; `unknown` if no plugin has declared its type. */
export type Service<N extends string> = N extends keyof Services ? Services[N] : unknown;

/** Creates the services that the plugins of a host provide to each other. */
export function createServices() {
  const provided = new Map<string, { readonly plugin: string; readonly service: unknown }>();

  /** @throws PressmarkError PLUGIN_INVALID if another service has this name. */
  function provide(plugin: string, name: string, service: unknown): void {
    const other = provided.get(name);
    if (typeof name !== 'string' || name === '')
      throw invalid(
        `plugin ${plugin} provides a service whose name is ${quote(name)}; it must be a nonempty text`,
      );
    if (service === undefined)
      throw invalid(
        `plugin ${plugin} provides the service ${quote(name)} as undefined; give an object or a function`,
      );
    if (other !== undefined)
      throw invalid(
        `plugin ${plugin} provides ${quote(name)}, as plugin ${other.plugin} does; choose another name`,
      );
    provided.set(name, { plugin, service });
  }

  /** @throws PressmarkError PLUGIN_INVALID if no plugin has provided it. */
  function use<N extends string>(plugin: string, name: N): Service<N> {
    const found = provided.get(name);
    if (found === undefined)
      throw invalid(
        `plugin ${plugin} uses ${quote(name)}, which no plugin has provided; if another plugin does, name it in requires, so that it is set up before; Pressmark's own services are there after the setup`,
      );
    return found.service as Service<N>; // as the plugin that provides it has declared
  }

  return { provide, use };
}
