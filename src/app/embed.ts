// What `src/index.ts`, the entry point of the package, exports from folders that only app and cli may import.

export type {
  ArticleMapping,
  FileFacts,
  FrontMatterValue,
  IncomingBody,
  KeyNames,
  StoredBody,
  Timestamp,
} from '../article/format/mapping.js';
export { loadSettings, type Settings } from '../config/load.js';
export { type ConfigInput, defineConfig } from '../config/schema.js';
export {
  defineGenerator,
  type FileEdit,
  type Generator,
  type GeneratorOptions,
  type MappingOptions,
  type Problem,
  type Question,
  type SiteFacts,
  type SiteFiles,
} from '../generators/generator.js';
export { escapedMarkdown, type MarkdownEscapes } from '../generators/mapping/escape-markdown.js';
