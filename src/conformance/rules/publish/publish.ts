import { canonicalUrl } from '../../../contract/canonical-url.js';
import {
  describe,
  expectEqual,
  expectStatus,
  expectSuccess,
  expectThat,
  fieldsOf,
  shown,
  Unmet,
} from '../../expect.js';
import { type Rule, rules } from '../../rule.js';
import { whyNotAccepted } from '../../why-refused.js';

/** How a publish is answered (contract: article.published). */
export const PUBLISH_RULES: readonly Rule[] = [
  ...rules({ section: 'article.published' }, ['request-accepted'], {
    'publish-accepted': {
      says: 'A publish, which carries neither contract_version nor X-Service-Contract, is answered 2xx.',
      hint: 'Store the article and answer 200; a publish is the same in all versions.',
      check: async (session) => expectSuccess((await session.main()).answer),
    },
  }),
  ...rules({ section: 'article.published' }, ['publish-accepted'], {
    'version-stated': {
      section: 'Versioning',
      says: 'A receiver whose answer to a publish has an id and a URL states its version in its answer to webhook.test.',
      hint: 'Answer {"received": true, "contract_version": 3, "capabilities": ["article.published", "article.lookup", "article.updated"]} to webhook.test; a receiver that is meant to be Version 1 is checked with --as 1.',
      check: async (session) => {
        const { answer } = await session.main();
        if (session.version > 1 || session.options.as === 1 || !/"url"\s*:\s*"/.test(answer.text)) return;
        const firstTest = await session.firstTest();
        throw new Unmet(
          `a version and capabilities, as a publish is answered ${describe(answer)}`,
          `${describe(firstTest)} to webhook.test`,
          firstTest.status < 300 ? undefined : await whyNotAccepted(session, firstTest),
        );
      },
    },
    'publish-no-redirect': {
      section: 'Endpoints',
      level: 'should',
      says: 'A publish is answered without a redirect.',
      hint: 'Register the final URL, with its real scheme and trailing slash.',
      check: async (session) => {
        const { answer } = await session.main();
        expectThat(answer.redirects === 0, 'no redirect', 'a redirect before the answer');
      },
    },
    'publish-200': {
      from: 3,
      says: 'A publish is answered with status 200.',
      hint: 'Answer 200 rather than 201, 202 or 204.',
      check: async (session) => expectStatus((await session.main()).answer, 200),
    },
    'publish-received': {
      from: 3,
      says: 'The answer to a publish says received: true.',
      hint: 'Answer {"received": true, "id": …, "url": …}.',
      check: async (session) =>
        expectEqual('received', true, fieldsOf((await session.main()).answer).received),
    },
    'publish-id': {
      from: 3,
      says: 'The answer to a publish holds the stored article’s id, a nonempty text.',
      hint: 'Answer {"received": true, "id": …, "url": …} with the id under which the article is stored.',
      check: async (session) => {
        const { id } = fieldsOf((await session.main()).answer);
        expectThat(typeof id === 'string' && id !== '', 'a nonempty text as id', `id ${shown(id)}`);
      },
    },
    'publish-url': {
      from: 3,
      says: 'The answer to a publish holds the article’s absolute public URL, http or https, without credentials.',
      hint: 'Answer the URL with scheme and host, not the path alone.',
      check: async (session) => {
        const { url } = fieldsOf((await session.main()).answer);
        const absolute = typeof url === 'string' && canonicalUrl(url) !== undefined;
        expectThat(absolute, 'an absolute http(s) URL without credentials', `url ${shown(url)}`);
      },
    },
    'publish-content-type': {
      level: 'should',
      from: 3,
      says: 'The answer to a publish has the media type application/json.',
      hint: 'Set Content-Type: application/json.',
      check: async (session) => {
        const { answer } = await session.main();
        const type = answer.headers['content-type'] ?? 'nothing';
        expectThat(/^application\/json\b/i.test(type), 'Content-Type application/json', type);
      },
    },
  }),
];
