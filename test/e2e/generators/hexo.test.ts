import test from 'ava';
import { dayIn, dropIn, type SiteUnderTest } from './drop-in.js';

const site: SiteUnderTest = {
  folder: 'hexo',
  tools: 'hexo',
  build: 'npm run build',
  output: 'public',
  siteUrl: 'https://allotment.example/notes',
  marker: 'Plot 21, by the mill</a></header>',
  day: dayIn('Asia/Tokyo'),
  every: 2,
  posts: {
    'source/_posts/leek-trench.md': '/2025/03/09/leek-trench/',
    'source/_posts/mill-race.md': '/2025/05/17/mill-race/',
    'source/_posts/sheds/tar-roof.html': '/2025/06/21/sheds/tar-roof/',
    'source/_posts/compost-thermometer.md': '/heat/compost/',
  },
  hidden: { '/2025/08/01/taken-back/': /draft|published/, '/2199/04/01/not-yet/': /future/ },
};

dropIn(test, site);
