/** @type {import('@docusaurus/types').Config} */
export default {
  title: 'Allotment notes',
  url: 'https://allotment.example',
  baseUrl: '/notes/',
  // Much quicker.
  future: { v4: { removeLegacyPostBuildHeadAttribute: true }, faster: true },
  onBrokenLinks: 'throw',
  plugins: [
    [
      '@docusaurus/plugin-content-blog',
      { blogSidebarCount: 0, postsPerPage: 20, feedOptions: { type: null }, onUntruncatedBlogPosts: 'ignore' },
    ],
    '@docusaurus/plugin-content-pages',
  ],
  themes: ['@docusaurus/theme-classic'],
  themeConfig: {
    footer: { copyright: 'Plot 17, by the canal' },
  },
};
