import { defineCollection, reference } from 'astro:content';
import { glob } from 'astro/loaders';
import { z } from 'astro/zod';

// All notes have these, those of the workshop too.
const base = z.object({ title: z.string() });
const seo = () => z.object({ canonical: z.string() }).optional();

const blog = defineCollection({
  loader: glob({ base: './src/content/blog', pattern: '**/*.md' }),
  schema: ({ image }) =>
    base.extend({
      // A line of the list of notes is no longer.
      description: z.string().max(44),
      // The day on which a note was first put online.
      pubDate: z.coerce.date(),
      updatedDate: z.coerce.date().optional(),
      author: reference('authors'),
      tags: z.array(z.string()).default([]),
      heroImage: z.string().optional(),
      season: z.enum(['spring', 'summer', 'autumn', 'winter']).optional(),
      draft: z.boolean().default(false),
      cover: z.object({ alt: z.string(), src: image() }).optional(),
      seo: seo(),
    }),
});

const authors = defineCollection({
  loader: glob({ base: './src/content/authors', pattern: '*.json' }),
  schema: z.object({ name: z.string() }),
});

export const collections = { blog, authors };
