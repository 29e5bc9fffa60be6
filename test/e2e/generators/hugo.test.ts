import test from 'ava';
import { tryDevServer } from './dev-server.js';
import { dayIn, dropIn, type SiteUnderTest } from './drop-in.js';

const site: SiteUnderTest = {
  folder: 'hugo',
  build: 'npm run build',
  output: 'public',
  hasPictures: true,
  siteUrl: 'https://garden.example/notes',
  // Each language has its own, whose keys are in any case.
  permalink: '/:year/:month/:slug/',
  marker: '<footer>{{ not a template }}</footer>',
  day: dayIn('Asia/Tokyo'),
  lists:
    /^(?:de\/)?(?:(?:posts\/|tags\/(?:.+\/)?)?(?:page\/\d+\/)?index\.(?:html|xml)|(?:en\/)?sitemap\.xml)$/,
  posts: {
    'content/posts/compost-heap.md': '/2024/03/compost/',
    'content/posts/hedge.markdown': '/hedge/',
    'content/posts/late-frost.md': '/2024/04/late-frost/',
    'content/posts/sowing-beans.md': '/2024/05/sowing-beans/',
    'content/posts/sowing-beans.de.md': '/de/2024/05/bohnen-legen/',
    'content/posts/rain-barrel/index.md': '/2024/06/the-rain-barrel/',
    'content/posts/rain-barrel/index.de.md': '/de/2024/06/die-regentonne/',
  },
  hidden: { '/2024/07/pond/': /draft/, '/2124/01/next-century/': /future/ },
};

const live = dropIn(test, site);
tryDevServer(test, site, live, {
  command: (port) => `hugo server --port ${port}`,
  rebuilt: /rebuilding site/g,
});
