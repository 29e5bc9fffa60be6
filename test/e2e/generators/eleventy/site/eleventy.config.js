export default function (eleventyConfig) {
  eleventyConfig.addPassthroughCopy({ './public/': '/' });

  // Drafts are shown by `npm start` and left out of `npm run build`.
  eleventyConfig.addPreprocessor('drafts', '*', (data) => {
    if (data.draft && process.env.ELEVENTY_RUN_MODE === 'build') return false;
  });

  eleventyConfig.addFilter('day', (date) => date.toISOString().slice(0, 10));
  eleventyConfig.addFilter('topics', (tags) =>
    (tags ?? []).filter((tag) => tag !== 'all' && tag !== 'posts'),
  );
  eleventyConfig.addFilter('absolute', (address, site) => new URL(address, site).href);
}

export const config = {
  templateFormats: ['md', 'njk', 'html'],
  markdownTemplateEngine: 'njk',
  htmlTemplateEngine: 'njk',
  pathPrefix: '/notes/',
  dir: {
    input: 'content', // pages and posts
    includes: '../_includes',
    data: '../_data',
    output: '_site',
  },
};
