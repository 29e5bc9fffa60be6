/**
 * The API for plugin authors and embedders.
 *
 * @module
 */
export { type App, startApp } from './app/app.js';
export {
  type ArticleMapping,
  type ConfigInput,
  defineConfig,
  defineGenerator,
  escapedMarkdown,
  type FileEdit,
  type FileFacts,
  type FrontMatterValue,
  type Generator,
  type GeneratorOptions,
  type IncomingBody,
  type KeyNames,
  loadSettings,
  type MappingOptions,
  type MarkdownEscapes,
  type Problem,
  type Question,
  type Settings,
  type SiteFacts,
  type SiteFiles,
  type StoredBody,
  type Timestamp,
} from './app/embed.js';
export type { Article, ArticleContent, ArticleDraft } from './article/article.js';
export type { AssetName, StoredAsset } from './article/asset.js';
export { type ErrorCode, PressmarkError } from './errors.js';
export {
  type AdminAction,
  type AdminHtml,
  type AdminPage,
  type AdminRequest,
  type AdminRole,
  type AdminWidget,
  escapeHtml,
} from './host/admin/additions.js';
export type {
  ArticlePatch,
  ArticleQuery,
  ArticleReader,
  Articles,
  Assets,
  HandedOver,
  ListedArticle,
} from './host/articles/articles.js';
export type { HealthCheck, HealthFinding } from './host/health.js';
export type { ActionName, Actions, FilterName, Filters, JobEventName } from './host/hooks/hook-types.js';
export type { AdapterAuth, Caller } from './host/http/accounts.js';
export { sameSecret } from './host/http/accounts.js';
export type {
  Adapter,
  AdapterHandler,
  AdapterRequest,
  IncomingArticle,
  ReceivedArticle,
} from './host/http/adapter.js';
export { AdapterAnswer, type AdapterError, refusal } from './host/http/adapter-answer.js';
export {
  fetchPublic,
  type PublicAnswer,
  type PublicRequest,
} from './host/http/fetch-public.js';
export type { FormField } from './host/http/form.js';
export type { JobContext, JobEvent, StoredEvent } from './host/jobs/job.js';
export { localTime, momentIn } from './host/local-time.js';
export type { SiteArticles, SiteOutput, SiteView } from './host/pages/outputs.js';
export type { ArticleSummary, FeedItem, PageContext, SiteInfo } from './host/pages/page-types.js';
export {
  type CommandHost,
  definePlugin,
  type PagesHost,
  type Plugin,
  type PluginCommand,
  type PluginHost,
  type ReceiverHost,
} from './host/plugin.js';
export type { DeliveryQuery, DeliveryRecord } from './host/records.js';
export type { Services } from './host/services.js';
export type { PluginStorage } from './host/storage.js';
