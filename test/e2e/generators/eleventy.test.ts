import test from 'ava';
import { tryDevServer } from './dev-server.js';
import { dropIn, type SiteUnderTest } from './drop-in.js';

// With the plugin of pressmark/eleventy.
const site: SiteUnderTest = {
  folder: 'eleventy',
  tools: '.',
  prepare: ({ edit }) =>
    edit('eleventy.config.js', [
      /^export default function \(eleventyConfig\) \{$/m,
      "import pressmark from 'pressmark/eleventy';\n\n$&\n  eleventyConfig.addPlugin(pressmark);",
    ]),
  build: 'npm run build',
  output: '_site',
  siteUrl: 'https://allotment.example/notes',
  marker: '<footer>Plot 14, by the railway</footer>',
  day: (iso) => iso.slice(0, 10),
  // about/ counts the posts.
  lists: /^(?:index\.html|about\/index\.html|feed\.xml|tags\/[^/]+\/index\.html)$/,
  spelling: { water: 'Water' },
  posts: {
    'content/blog/2026-03-01-first-dig.md': '/blog/2026-03-01-first-dig/',
    'content/blog/compost.md': '/blog/compost/',
    'content/blog/rain-butt.html': '/blog/rain-butt/',
    'content/blog/seed-drawer.md': '/sheds/seed-drawer/',
    'content/blog/slug-count.md': '/blog/slug-count/',
    'content/blog/tool-shed.md': '/sheds/tool-shed/',
  },
  hidden: { '/blog/hotbed/': /draft/, '/blog/moon/': /js.* is not read/ },
};

const live = dropIn(test, site);
tryDevServer(test, site, live, {
  command: (port) => `npx eleventy --serve --quiet --port=${port}`,
  // A new file may be noticed twice, as Astro does: test/e2e/generators/astro-site.ts.
  rebuilt: /File (?:changed|added): (\S+)\s(?![\s\S]*File (?:changed|added): \1\s)/g,
});

test.serial('a build of the owner’s fails where an article has no page', async (t) => {
  const { copy, receiver } = live();
  await receiver.kill('SIGKILL'); // it would ask Eleventy where the article is now
  copy.edit('content/blog/ordinary-bare.md', [/^permalink: .*$/m, 'permalink: /elsewhere/']);
  const { code, stdout, stderr } = await copy.shell('npx eleventy --quiet --output=built');
  t.not(code, 0);
  t.regex(`${stdout}${stderr}`, /The built site lacks what its articles need:[\s\S]*ordinary-bare/);
});
