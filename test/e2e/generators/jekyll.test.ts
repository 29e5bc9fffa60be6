import test from 'ava';
import { tryDevServer } from './dev-server.js';
import { dayIn, dropIn, type SiteUnderTest } from './drop-in.js';

const site: SiteUnderTest = {
  folder: 'jekyll',
  build: 'jekyll build --quiet',
  output: '_site',
  siteUrl: 'https://allotment.example/notes',
  marker: '<header class="masthead">',
  day: dayIn('Asia/Tokyo'),
  lists: /^(?:index\.html|feed\.xml|tags\/index\.html)$/,
  posts: {
    '_posts/2025-03-02-first-sowing.markdown': '/beds/spring/2025/03/02/first-sowing/',
    '_posts/2025-04-18-late-frost.md': '/beds/2025/04/18/late-frost/',
    '_posts/2025-06-30-the-shed.html': '/2025/06/30/the-shed/',
    '_posts/2025-07-01-its-own-address.md': '/water/',
  },
  hidden: { '/2025/08/08/taken-back/': /draft|published/, '/2199/01/01/the-far-future/': /future/ },
};

const live = dropIn(test, site);
tryDevServer(test, site, live, {
  command: (port) => `jekyll serve --port ${port}`,
  // Jekyll ignores changes in its output folder, but not that Pressmark's build has put another link in its place.
  rebuilt: /Regenerating:(?! 1 file\(s\) .*\n +_site\n)/g,
});
