import type { Post } from '../../../src/site/index/post.js';

/** An article of a list; its time makes its path and URL. */
export function post(time: number, version = 0): Post {
  const path = `a${time}.md`;
  const fingerprint = { ino: 0, size: 0, mtimeMs: 0 };
  const url = `https://x.example/a${time}/`;
  const texts = { id: path, url, title: `${version}`, description: '', author: '' };
  const date = new Date(time).toISOString();
  return {
    entry: { path, fingerprint, ...texts, date, updated: null, tags: [], image: null, readingMinutes: 1 },
    file: `a${time}/index.html`,
    time,
    modified: time,
  };
}
