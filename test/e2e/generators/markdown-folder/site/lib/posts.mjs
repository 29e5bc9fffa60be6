import fs from 'node:fs';
import path from 'node:path';
import matter from 'gray-matter';
import { marked } from 'marked';

const folder = path.join(process.cwd(), 'posts');

/** The posts, the newest first. */
export function allPosts() {
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => {
      const { data, content } = matter(fs.readFileSync(path.join(folder, name), 'utf8'));
      const { title, description, date, cover, tags, draft } = data;
      return { slug: name.slice(0, -3), title, description, date, cover, tags, draft, text: content };
    })
    .filter(({ draft }) => !draft)
    .sort((one, other) => new Date(other.date) - new Date(one.date));
}

export const bodyOf = (text) => marked.parse(text);
