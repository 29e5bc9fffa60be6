import { defineConfig } from 'vitepress';

export default defineConfig({
  title: 'Allotment notes',
  lang: 'en-GB',
  base: '/notes/',
  sitemap: { hostname: 'https://allotment.example/notes/' },
  lastUpdated: true,
  rewrites: { 'posts/sheds/:page': 'sheds/:page' },
});
