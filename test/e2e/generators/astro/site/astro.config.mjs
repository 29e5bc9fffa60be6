import { defineConfig } from 'astro/config';

export default defineConfig({
  site: 'https://allotment.example',
  base: '/notes',
  trailingSlash: 'always',
});
