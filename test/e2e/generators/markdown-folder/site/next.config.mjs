/** @type {import('next').NextConfig} */
export default {
  output: 'export',
  basePath: '/notes',
  trailingSlash: true,
  webpack(config) {
    config.optimization.minimize = false;
    return config;
  },
  generateBuildId: () => 'notes',
};
