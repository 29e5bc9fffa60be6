import { getCollection } from 'astro:content';

/** The notes that are online, the newest first. */
export async function publishedPosts() {
  const posts = await getCollection('blog', ({ data }) => !data.draft);
  return posts.sort((a, b) => b.data.pubDate - a.data.pubDate || (a.id < b.id ? -1 : 1));
}

/** The name of a tag's page. */
export const tagSlug = (tag) => tag.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '');

/** An address below the base path. */
export const below = (path) => `${import.meta.env.BASE_URL.replace(/\/$/, '')}${path}`;
