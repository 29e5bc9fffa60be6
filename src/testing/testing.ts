/**
 * The tools for tests of plugins: `pressmark/testing`.
 *
 * @module
 */
export { fakeArticle, type SentArticle, sentArticle } from './fake-articles.js';
export { createTestHost, type LogLine, type TestHost, type TestHostOptions } from './test-host.js';
export {
  type Answer,
  createTestSite,
  type TestPlugin,
  type TestSite,
  type TestSiteOptions,
} from './test-site.js';
