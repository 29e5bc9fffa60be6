import { allPosts, bodyOf } from '../../../lib/posts.mjs';

export const dynamicParams = false;

export function generateStaticParams() {
  return allPosts().map(({ slug }) => ({ slug }));
}

const postAt = async (params) => {
  const { slug } = await params;
  return allPosts().find((post) => post.slug === decodeURIComponent(slug));
};

export async function generateMetadata({ params }) {
  const { title, description } = await postAt(params);
  return { title, description };
}

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

export default async function Post({ params }) {
  const { title, date, cover, tags = [], text } = await postAt(params);
  return (
    <article>
      <h1>{title}</h1>
      <time>{day.format(new Date(date))}</time>
      {cover && <img src={cover} alt="" />}
      <div dangerouslySetInnerHTML={{ __html: bodyOf(text) }} />
      <ul>
        {tags.map((tag) => (
          <li key={tag}>
            <a href="/notes/tags/">{tag}</a>
          </li>
        ))}
      </ul>
    </article>
  );
}
