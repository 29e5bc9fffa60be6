import { allPosts } from '../lib/posts.mjs';

export default function Home() {
  return (
    <main>
      <ol>
        {allPosts().map(({ slug, title }) => (
          <li key={slug}>
            <a href={`/notes/posts/${slug}/`}>{title}</a>
          </li>
        ))}
      </ol>
    </main>
  );
}
