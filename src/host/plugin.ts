/// <reference types="@koa/bodyparser" preserve="true" />
import type { ParseArgsConfig } from 'node:util';
import type Router from '@koa/router';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Middleware } from 'koa';
import type { Log } from '../log.js';
import type { AdminAdding } from './admin/additions.js';
import type { ArticleReader, Assets } from './articles/articles.js';
import type { HostArticles } from './articles/edits.js';
import type { HealthCheck } from './health.js';
import type { Hold, Refusal } from './hooks/filter-results.js';
import type {
  ActionName,
  FilterName,
  JobEventName,
  PagesActionName,
  PagesFilterName,
  ReceiverFilterName,
} from './hooks/hook-types.js';
import type { PluginHooks } from './hooks/hooks.js';
import type { Adapter } from './http/adapter.js';
import type { AdapterAnswer } from './http/adapter-answer.js';
import type { Cron, Job } from './jobs/job.js';
import type { SiteOutput } from './pages/outputs.js';
import type { PageAdding } from './pages/page-additions.js';
import type { SiteRecords } from './records.js';
import type { Service } from './services.js';
import type { PluginStorage } from './storage.js';

/** The site that a plugin runs in. */
export interface HostSite {
  /** The site's address, absolute, without a trailing slash. */
  readonly url: string;
  /** BCP 47. */
  readonly language: string;
  /** IANA name. */
  readonly timeZone: string;
}

/** Folders of a site, absolute. */
export interface HostPaths {
  /** The site's folder. */
  readonly site: string;
  /** The folder of the article files. */
  readonly content: string;
  /** The folder of the built site. */
  readonly output: string;
}

/** The host that a plugin gets, in either face. @typeParam F the filters that exist. @typeParam A the actions. */
export interface PluginHost<O, F extends FilterName, A extends ActionName> extends PluginHooks<F, A> {
  readonly site: HostSite;
  readonly paths: HostPaths;
  readonly log: Log;
  /** The plugin's own options, as its schema has returned them. */
  readonly options: O;
  readonly articles: ArticleReader;
  /** Runs when the service stops, before it exits; it may take a few seconds. */
  onClose(dispose: () => unknown): void;
}

/** The host that `receiver` gets, in the process that answers the webhook. */
export interface ReceiverHost<O = unknown>
  extends PluginHost<O, ReceiverFilterName, ActionName>,
    SiteRecords {
  readonly articles: HostArticles;
  readonly assets: Assets;
  /** The values of `secrets`, by their names. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Data that the plugin keeps across restarts. */
  readonly storage: PluginStorage;
  /**
   * Adds work that follows an action, once for each event. The event is noted on the disk; one of the receivers runs the job,
   * even after a crash, and tries again if it fails.
   */
  job<N extends JobEventName>(name: string, job: Job<N>): void;
  /**
   * Adds work at certain times, run by one of the receivers. Runs that were missed while no receiver was running are made up
   * for once.
   */
  cron(name: string, cron: Cron): void;
  /** Adds routes below `/-/<name of the plugin>/`; anyone can call them. */
  routes(define: (router: Router) => void): void;
  /**
   * Answers everything below `/-/<name of the plugin>/` with a Koa middleware, if the routes of a router are not enough. It
   * reads bodies itself, of at most 5,000,000 bytes; anyone can call it.
   */
  serve(handler: Middleware): void;
  /** Adds an endpoint for another service, at a path of your choice; requests are verified before they are parsed. */
  adapter(adapter: Adapter): void;
  /** Adds pages, widgets of the overview and buttons to the admin. Without an admin they are not shown. */
  readonly admin: AdminAdding;
  /** Provides a service to other plugins, such as an object with functions. @param name unique. */
  provide<N extends string>(name: N, service: Service<N>): void;
  /** The service of another plugin. To use it during setup, list that plugin in `requires`. */
  use<N extends string>(name: N): Service<N>;
  /** Adds a check to `/healthz?verbose` and `doctor`; it has 5 seconds. */
  health(check: HealthCheck): void;
  /** Returned by a filter of `article.draft`: the article is stored, but not shown until somebody releases it. */
  hold(reason: string): Hold;
  /** Returned by a filter of `article.draft`: nothing is stored. @param status 400 to 599. @param words for the sender. */
  refuse(status: number, words: string): Refusal;
  /** Creates an answer of an adapter. @param body sent as JSON. */
  answer(status: number, body: unknown, headers?: Readonly<Record<string, string>>): AdapterAnswer;
}

/** The host that `pages` gets, in the builder. */
export interface PagesHost<O = unknown> extends PluginHost<O, PagesFilterName, PagesActionName>, PageAdding {
  /** Adds files to the site, such as `llms.txt`. */
  addOutput(output: SiteOutput): void;
}

/** The host that a plugin's command gets; no receiver has to run. */
export type CommandHost<O = unknown> = Pick<
  ReceiverHost<O>,
  'options' | 'secrets' | 'storage' | 'log' | 'site' | 'paths'
>;

/** A command of a plugin: `pressmark <plugin>:<name>`. */
export interface PluginCommand<O = unknown> {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string;
  /** What it does, for the help. */
  readonly description: string;
  /** Options of `parseArgs` in `node:util`. @default none */
  readonly options?: NonNullable<ParseArgsConfig['options']>;
  /**
   * Does the work. A returned text is printed; if it throws, the exit code is 1.
   *
   * @param call.args the positional arguments. @param call.values the given options, by their names.
   */
  run(
    host: CommandHost<O>,
    call: { readonly args: readonly string[]; readonly values: Readonly<Record<string, unknown>> },
  ): unknown;
}

/** A plugin; made with `definePlugin`. */
export interface Plugin<O = unknown> {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string;
  /** Such as `1.0.0`. */
  readonly version?: string;
  /** The plugins that must be set up before this one, and `pressmark` itself, with version ranges such as `^1.2`. */
  readonly requires?: Readonly<Record<string, string>>;
  /** Checks the options from the config: a Standard Schema, such as one of zod or valibot. */
  readonly options?: StandardSchemaV1<unknown, O>;
  /**
   * Names of variables in `.env`, each of which must have at least 8 characters. Log, findings and admin never show their
   * values.
   */
  readonly secrets?: readonly string[];
  /** Hooks that this plugin runs for others; each name begins with the plugin's name and a dot. */
  readonly hooks?: { readonly actions?: readonly string[]; readonly filters?: readonly string[] };
  /** Runs once in the process that answers the webhook, and in `doctor`. May be async. */
  receiver?(host: ReceiverHost<O>): unknown;
  /**
   * Runs once for each installed version, after `receiver` and before the first delivery. May be async; if it fails, the
   * receiver does not start.
   *
   * @param context.previous the version that was activated before; undefined for the first.
   */
  activate?(host: ReceiverHost<O>, context: { readonly previous: string | undefined }): unknown;
  /** Commands of `pressmark`. They share their storage with a receiver that may be running. */
  readonly commands?: readonly PluginCommand<O>[];
  /** Runs in the builder, and wherever the plugin's outputs must be known. Only adds hooks and outputs. */
  pages?(host: PagesHost<O>): unknown;
}

/** A plugin with its options. */
export interface PluginEntry {
  readonly plugin: Plugin;
  readonly options?: unknown;
  /** The options from the config, if the settings file has others. @default `options` */
  readonly configured?: unknown;
  /** Where it came from, for messages. */
  readonly origin: string;
  /** Its module, absolute; undefined if the config file holds the plugin itself. */
  readonly file?: string;
  /** Whether it comes with Pressmark: its handlers run before those of all other plugins. @default false */
  readonly isFirstParty?: boolean;
}

/** Returns the plugin, with its options typed in all its functions. */
export function definePlugin<O>(plugin: Plugin<O>): Plugin<O> {
  return plugin;
}
