import { expectSuccess } from '../../expect.js';
import { rules } from '../../rule.js';
import { idPrefix } from '../../samples.js';
import type { Session, Stored } from '../../session.js';

const HOUR_MS = 3_600_000;

/** The last of the five retries comes after 1 + 5 + 30 + 120 + 360 minutes. */
const LAST_RETRY_MS = 8.6 * HOUR_MS;

/** An article whose id is neither a file name nor a URL segment nor an identifier of any language. */
export const unusual = (session: Session): Promise<Stored> =>
  session.once('unusual', () => {
    const id = `${idPrefix(session.run)}a/b c'"%20ü世界`;
    return session.publish(session.article(id, { slug: session.id('unusual') }));
  });

/** Articles that are seldom but that the contract allows (contract: Article, Limits). */
export const PUBLISH_ACCEPTED_RULES = rules({ section: 'Article' }, ['publish-accepted'], {
  'publish-late-retry': {
    section: 'Limits',
    says: 'A publish whose timestamp is as old as the last retry makes it, 8 hours and 36 minutes, is accepted.',
    hint: 'Retries are byte for byte the same, so their timestamp is old. Widen your replay window, or rely on data.id.',
    check: async (session) => {
      const published_at = new Date(Date.now() - LAST_RETRY_MS).toISOString();
      await session.stored('late-retry', () => ({ published_at }));
    },
  },
  'publish-moment-with-offset': {
    section: 'Request envelope',
    level: 'should',
    says: 'A timestamp with an offset in place of Z is accepted: it is ISO 8601 too.',
    hint: 'Parse timestamps with what your language has for ISO 8601.',
    check: async (session) => {
      const now = new Date(Date.now() + 2 * HOUR_MS).toISOString();
      await session.stored('moment', () => ({ published_at: now.replace(/\.\d+Z$/, '+02:00') }));
    },
  },
  'publish-empty-title': {
    says: 'An article without a title is accepted.',
    hint: 'Store a placeholder where the title is empty.',
    check: (session) => session.stored('untitled', () => ({ title: '' })),
  },
  'publish-empty-fields': {
    says: 'An article in which everything is empty that may be empty is accepted.',
    hint: 'Only data.id is never empty; the image may be null.',
    check: async (session) => {
      await session.stored('bare', () => ({
        content_markdown: '',
        meta_description: '',
        focus_keyword: '',
        featured_image_url: null,
        tags: [],
        json_ld: '',
      }));
    },
  },
  'publish-image-null': {
    says: 'An article whose featured_image_url is null is accepted.',
    hint: 'Null means that there is no image.',
    check: (session) => session.stored('no-image', () => ({ featured_image_url: null })),
  },
  'publish-unusual-id': {
    says: 'An article whose id holds white space, slashes, quotes and letters outside ASCII is accepted.',
    hint: 'An id is any nonempty text: escape it, or file the article under a hash of it.',
    check: unusual,
  },
  'publish-unsafe-slug': {
    says: 'An article with a slug that would lead out of a folder is not refused.',
    hint: 'The slug is a suggestion: make a safe one of it.',
    check: (session) => session.stored('unsafe-slug', (id) => ({ slug: `../../${id}/../trial` })),
  },
  'publish-unknown-fields': {
    section: 'Versioning',
    level: 'should',
    says: 'An article with fields that the contract does not name is not refused.',
    hint: 'Ignore fields that you do not know.',
    check: async (session) => {
      const { data } = await session.main();
      const more = { ...data, id: session.id('more-fields'), trial: { deep: [1] } };
      const overrides = { envelope: { trial: true } };
      expectSuccess(await session.send('article.published', more, overrides));
    },
  },
});
