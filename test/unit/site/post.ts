import type { Post } from '../../../src/site/index/article-entry.js';

/** An article of a list; its time makes its path and URL. */
export function post(time: number): Post {
  const path = `a${time}.md`;
  return {
    path,
    fingerprint: { ino: 0, size: 0, mtimeMs: 0 },
    id: path,
    url: `https://x.example/a${time}/`,
    file: `a${time}/index.html`,
    title: '',
    description: '',
    author: '',
    date: new Date(time).toISOString(),
    updated: null,
    time,
    modified: new Date(time).toISOString(),
    tags: [],
    image: null,
    words: 1,
    readingMinutes: 1,
  };
}
