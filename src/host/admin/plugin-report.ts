import type { HookReport } from '../hooks/hooks.js';
import type { JobReport } from '../jobs/jobs.js';
import type { OpenJob } from '../jobs/notes.js';

/** What a plugin of the site has registered, and how its calls went since the last receiver started. */
export interface PluginReport {
  readonly name: string;
  readonly version: string | null;
  /** Where it comes from. */
  readonly origin: string;
  readonly hooks: readonly Omit<HookReport, 'plugin'>[];
  readonly jobs: readonly (Omit<JobReport, 'plugin'> & { readonly open: readonly OpenJob[] })[];
  /** Such as `GET /-/announce/list`. */
  readonly routes: readonly string[];
  /** The files that it adds to the site. */
  readonly outputs: readonly string[];
  /** Such as `announce:retry`. */
  readonly commands: readonly { readonly name: string; readonly description: string }[];
}

/** What plugins have registered in the receiver, and how their calls went. */
export interface ReceiverReport {
  readonly hooks: readonly HookReport[];
  readonly jobs: readonly JobReport[];
  readonly routes: readonly { readonly plugin: string; readonly route: string }[];
}

/** What plugins have registered in the builder. */
export interface PagesReport {
  readonly hooks: readonly HookReport[];
  readonly outputs: readonly { readonly plugin: string; readonly path: string }[];
}

/** Groups by plugin what a host reports of both faces, and the open jobs. */
export function reportsOf(
  plugins: readonly {
    readonly plugin: {
      readonly name: string;
      readonly version?: string;
      readonly commands?: PluginReport['commands'];
    };
    readonly origin: string;
  }[],
  receiver: ReceiverReport,
  pages: PagesReport,
  open: readonly OpenJob[],
): PluginReport[] {
  return plugins.map(({ plugin: { name, version = null, commands = [] }, origin }) => {
    const theirs = <T extends { readonly plugin: string }>(all: readonly T[]) =>
      all.filter(({ plugin }) => plugin === name);
    return {
      name,
      version,
      origin,
      hooks: theirs([...receiver.hooks, ...pages.hooks]).map(({ plugin: _, ...hook }) => hook),
      jobs: theirs(receiver.jobs).map(({ plugin: _, ...job }) => ({
        ...job,
        open: open.filter((one) => one.job === job.job),
      })),
      routes: theirs(receiver.routes).map(({ route }) => route),
      outputs: theirs(pages.outputs).map(({ path }) => path),
      commands: commands.map((one) => ({ name: `${name}:${one.name}`, description: one.description })),
    };
  });
}
