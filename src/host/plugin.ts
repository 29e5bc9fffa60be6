/// <reference types="@koa/bodyparser" preserve="true" />
import type { ParseArgsConfig } from 'node:util';
import type Router from '@koa/router';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Middleware } from 'koa';
import type { Log } from '../log.js';
import type { AdminAdding } from './admin/additions.js';
import type { ArticleReader } from './articles/articles.js';
import type { Assets } from './articles/assets.js';
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
  /** The site's own. */
  readonly site: string;
  /** That of the article files. */
  readonly content: string;
  /** That of the built site. */
  readonly output: string;
}

/** What a plugin is handed, wherever it runs. @typeParam F the filters that there are. @typeParam A the actions. */
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

/** What `receiver` is handed, in the process that answers the webhook. */
export interface ReceiverHost<O = unknown>
  extends PluginHost<O, ReceiverFilterName, ActionName>,
    SiteRecords {
  readonly articles: HostArticles;
  readonly assets: Assets;
  /** The values of `secrets`, by their names. */
  readonly secrets: Readonly<Record<string, string>>;
  /** What the plugin keeps across restarts. */
  readonly storage: PluginStorage;
  /**
   * Adds work that follows an action, once for each event: it is noted on the disk, run by one receiver of several, also
   * after a crash, and tried again where it fails.
   */
  job<N extends JobEventName>(name: string, job: Job<N>): void;
  /** Adds work at certain times, by one receiver of several. What was missed while none ran is made up for once. */
  cron(name: string, cron: Cron): void;
  /** Adds routes below `/-/<name of the plugin>/`; anyone can call them. */
  routes(define: (router: Router) => void): void;
  /**
   * Answers everything below `/-/<name of the plugin>/` with a Koa middleware, where routes of a router are not enough. It
   * reads bodies itself, of 5,000,000 bytes at most; anyone can call it.
   */
  serve(handler: Middleware): void;
  /** Adds an endpoint for another service, at a path of your choice; requests are verified before they are parsed. */
  adapter(adapter: Adapter): void;
  /** Adds pages, parts of the overview and buttons to the admin. Where no admin runs, they are not shown. */
  readonly admin: AdminAdding;
  /** Gives other plugins something to use, such as an object with functions. @param name unique. */
  provide<N extends string>(name: N, service: Service<N>): void;
  /** What another plugin has provided; that plugin must be in `requires` if it is used while plugins are set up. */
  use<N extends string>(name: N): Service<N>;
  /** Adds a check of the plugin's own to `/healthz?verbose` and `doctor`; it has 5 seconds. */
  health(check: HealthCheck): void;
  /** Returned by a filter of `article.draft`: the article is stored, and not shown before it is released. */
  hold(reason: string): Hold;
  /** Returned by a filter of `article.draft`: nothing is stored. @param status 400 to 599. @param words for the sender. */
  refuse(status: number, words: string): Refusal;
  /** An answer of an adapter. @param body sent as JSON. */
  answer(status: number, body: unknown, headers?: Readonly<Record<string, string>>): AdapterAnswer;
}

/** What `pages` is handed, where pages are made. */
export interface PagesHost<O = unknown> extends PluginHost<O, PagesFilterName, PagesActionName>, PageAdding {
  /** Adds files to the site, such as `llms.txt`. */
  addOutput(output: SiteOutput): void;
}

/** What a command of a plugin is handed, while no receiver need run. */
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
  /** As those of `parseArgs` in `node:util`. @default none */
  readonly options?: NonNullable<ParseArgsConfig['options']>;
  /**
   * Does the work. A text that it returns is printed; where it throws, the exit code is 1.
   *
   * @param call.args the words that are no options. @param call.values the options that were given, by their names.
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
  /** Plugins that must be set up before this one, and `pressmark` itself, with the versions that will do, such as `^1.2`. */
  readonly requires?: Readonly<Record<string, string>>;
  /** Checks the options from the config: a Standard Schema, such as one of zod or valibot. */
  readonly options?: StandardSchemaV1<unknown, O>;
  /** Names of variables in `.env`, which must be set to 8 characters or more; neither log, findings nor admin show them. */
  readonly secrets?: readonly string[];
  /** Hooks of its own, for other plugins; each begins with the plugin's name and a dot. */
  readonly hooks?: { readonly actions?: readonly string[]; readonly filters?: readonly string[] };
  /** Runs once in the process that answers the webhook, whatever builds the site; also in `doctor`. May be async. */
  receiver?(host: ReceiverHost<O>): unknown;
  /**
   * Runs once for each version that is installed, after `receiver` and before the first delivery. What it returns is waited
   * for; where it fails, the receiver does not start.
   *
   * @param context.previous the version that was activated before; undefined if none was.
   */
  activate?(host: ReceiverHost<O>, context: { readonly previous: string | undefined }): unknown;
  /** Commands of `pressmark`; a receiver may run at the same time, which has the same storage. */
  readonly commands?: readonly PluginCommand<O>[];
  /** Runs where pages are made, and wherever it must be known which files the plugin adds. Only adds hooks and outputs. */
  pages?(host: PagesHost<O>): unknown;
}

/** A plugin with the options that the config gives it. */
export interface PluginEntry {
  readonly plugin: Plugin;
  readonly options?: unknown;
  /** Those of them that the config has, where the settings file has others. @default `options` */
  readonly configured?: unknown;
  /** Where it came from, for messages. */
  readonly origin: string;
  /** Its module, absolute; undefined for one that the config holds itself. */
  readonly file?: string;
  /** Whether it comes with Pressmark: its handlers run before those of all other plugins. @default false */
  readonly isFirstParty?: boolean;
}

/** Types a plugin's options through to its faces. */
export function definePlugin<O>(plugin: Plugin<O>): Plugin<O> {
  return plugin;
}
