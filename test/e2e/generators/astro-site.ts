import type { DevServer } from './dev-server.js';
import type { SiteUnderTest } from './drop-in.js';

/** The site that is tested with two versions of Astro. */
export const ASTRO_SITE: Omit<SiteUnderTest, 'tools'> = {
  folder: 'astro',
  build: 'npm run build',
  output: 'dist',
  siteUrl: 'https://allotment.example/notes',
  marker: '<footer>Plot 17, by the canal</footer>',
  day: (iso) => iso.slice(0, 10),
  collapsesSpace: true,
  posts: {
    'src/content/blog/Raised-Beds.md': '/blog/raised-beds/',
    'src/content/blog/green-manure.md': '/blog/green-manure/',
    'src/content/blog/slugs-and-snails.md': '/blog/truce-with-snails/',
  },
  // A name that the collection of authors lacks would break the build: there the author of the site's posts stands.
  byline: (author) => (author === 'Marta Oak' ? author : 'Wren Moss'),
  doctorSays: /the site does not know these authors, and does not show their names: /,
  hidden: { '/blog/unfinished/': /draft/, '/blog/interactive/': /\.mdx/ },
};

/** Its server for people who write. */
export const ASTRO_DEV: DevServer = {
  command: (port) => `npx astro dev --port ${port}`,
  // A new file may be noticed twice: when it gets its name, and when it loses the one that it was written under.
  rebuilt: /Reloaded data from (\S+)\s(?![\s\S]*Reloaded data from \1\s)|restarting/g,
};
