import { createContentLoader } from 'vitepress';

export default createContentLoader('posts/**/*.md', {
  transform: (pages) =>
    pages
      .filter(({ frontmatter }) => frontmatter.date)
      .map(({ url, frontmatter: { title, date, tags = [] } }) => ({ url, title, date, tags }))
      .sort((one, other) => (one.date < other.date ? 1 : -1)),
});
