import { canonicalUrl } from '../../../contract/canonical-url.js';
import { shown } from '../../../sender/delivery/answer-checks.js';
import {
  describe,
  expectEqual,
  expectStatus,
  expectSuccess,
  expectThat,
  fieldsOf,
  Unmet,
} from '../../expect.js';
import { rules } from '../../rule.js';
import { idPrefix } from '../../samples.js';
import type { Session, Stored } from '../../session.js';
import { whyNotAccepted } from '../../why-refused.js';

const LIST = `
# article.published; needs request-accepted
45 publish-accepted: A publish, without contract_version and X-Service-Contract, is answered 2xx.
  Store the article and answer 200; a publish is the same in all versions.

# article.published; needs publish-accepted
49 version-stated (Versioning): A receiver whose answer to a publish has an id and a URL states its version in its answer to webhook.test.
  Answer {"received": true, "contract_version": 3, "capabilities": ["article.published", "article.lookup", "article.updated"]} to webhook.test; check a Version 1 receiver with --as 1.
50 publish-no-redirect (Endpoints; should): A publish is answered without a redirect.
  Register the final URL, with its real scheme and trailing slash.
51 publish-200 (V3): A publish is answered 200 with received: true.
53 publish-id (V3): The answer to a publish holds the stored article’s id, a nonempty text.
  Answer {"received": true, "id": …, "url": …} with the id under which the article is stored.
46 publish-url (V3): The answer to a publish holds the article’s absolute public URL, http or https, without credentials.
  Answer the URL with scheme and host, not the path alone.

# Article; needs publish-accepted
55 publish-late-retry (Limits): A publish whose timestamp is 8 hours and 36 minutes old, the age of the last retry, is accepted.
  Retries are byte for byte the same, so their timestamp is old. Widen your replay window, or rely on data.id.
57 publish-empty-title: An article without a title is accepted.
  Store a placeholder if the title is empty.
58 publish-empty-fields: An article is accepted if all fields that may be empty are empty.
  Only data.id is never empty; the image may be null.
60 publish-unusual-id: An article whose id holds white space, slashes, quotes and letters outside ASCII is accepted.
  An id is any nonempty text: escape it, or file the article under a hash of it.
61 publish-unsafe-slug: An article whose slug leads out of a folder is not refused.
  The slug is a suggestion: derive a safe slug from it.
62 publish-unknown-fields (Versioning; should): An article with fields that the contract does not name is not refused.
  Ignore fields that you do not know.
`;

/** The time of the last of five retries, in milliseconds: after 1 + 5 + 30 + 120 + 360 minutes. */
const LAST_RETRY_MS = 8.6 * 3_600_000;

/** An article whose id is not a file name, not a URL segment and not an identifier of any language. */
export const unusual = (session: Session): Promise<Stored> =>
  session.once('unusual', () => {
    const id = `${idPrefix(session.run)}a/b c'"%20ü世界`;
    return session.publish(session.article(id, { slug: session.id('unusual') }));
  });

/** Publications, including rare ones that the contract allows (contract: article.published; Article; Limits). */
export const PUBLISH_RULES = rules(LIST, {
  'publish-accepted': async (session) => expectSuccess((await session.main()).answer),
  'version-stated': async (session) => {
    const { answer } = await session.main();
    // In the text, as a warning before the JSON is what many broken receivers have in common.
    const isOfVersion3 = [/"url"\s*:\s*"/, /"id"\s*:/].every((field) => field.test(answer.text));
    if (session.version > 1 || session.options.as === 1 || !isOfVersion3) return;
    const firstTest = await session.firstTest();
    throw new Unmet(
      `a version and capabilities, as a publish is answered ${describe(answer)}`,
      `${describe(firstTest)} to webhook.test`,
      firstTest.status < 300 ? undefined : await whyNotAccepted(session, firstTest),
    );
  },
  'publish-no-redirect': async (session) => {
    const { answer } = await session.main();
    expectThat(answer.redirects === 0, 'no redirect', 'a redirect before the answer');
  },
  'publish-200': async (session) => {
    const { answer } = await session.main();
    expectStatus(answer, 200);
    expectEqual('received', true, fieldsOf(answer).received);
  },
  'publish-id': async (session) => {
    const { id } = fieldsOf((await session.main()).answer);
    expectThat(typeof id === 'string' && id !== '', 'a nonempty text as id', `id ${shown(id)}`);
  },
  'publish-url': async (session) => {
    const { url } = fieldsOf((await session.main()).answer);
    const absolute = typeof url === 'string' && canonicalUrl(url) !== undefined;
    expectThat(absolute, 'an absolute http(s) URL without credentials', `url ${shown(url)}`);
  },
  'publish-late-retry': async (session) => {
    const published_at = new Date(Date.now() - LAST_RETRY_MS).toISOString();
    await session.stored('late-retry', () => ({ published_at }));
  },
  'publish-empty-title': (session) => session.stored('untitled', () => ({ title: '' })),
  'publish-empty-fields': async (session) => {
    await session.stored('bare', () => ({
      content_markdown: '',
      meta_description: '',
      focus_keyword: '',
      featured_image_url: null,
      tags: [],
      json_ld: '',
    }));
  },
  'publish-unusual-id': unusual,
  'publish-unsafe-slug': (session) =>
    session.stored('unsafe-slug', (id) => ({ slug: `../../${id}/../trial` })),
  'publish-unknown-fields': async (session) => {
    const { data } = await session.main();
    const more = { ...data, id: session.id('more-fields'), trial: { deep: [1] } };
    const overrides = { envelope: { trial: true } };
    expectSuccess(await session.send('article.published', more, overrides));
  },
});
