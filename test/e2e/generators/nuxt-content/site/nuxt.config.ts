export default defineNuxtConfig({
  compatibilityDate: '2026-01-01',
  modules: ['@nuxt/content'],
  app: { baseURL: '/notes/', head: { htmlAttrs: { lang: 'en-GB' } } },
  runtimeConfig: { public: { siteUrl: 'https://allotment.example' } },
  content: { build: { markdown: { highlight: false } }, experimental: { sqliteConnector: 'native' } },
  telemetry: false,
  // What the tests do not look at, and takes a tenth of a build's time.
  sourcemap: false,
  vite: { build: { minify: false, reportCompressedSize: false } },
  nitro: { minify: false, logging: { compressedSizes: false } },
  experimental: { appManifest: false },
});
