import { MAX_BODY_BYTES } from '../../../contract/limits.js';
import { expectStatus, expectSuccess } from '../../expect.js';
import { type Rule, rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Overrides } from '../../transport/request.js';

const LIMIT = 'Count the bytes as they come, and answer 413 once there are more than 1,000,000.';

/** A webhook.test with a large body: no receiver stores anything of it. */
const tooLarge = (overrides: Overrides) => async (session: Session) =>
  expectStatus(await session.test({ ...overrides, body: padded(MAX_BODY_BYTES + 1) }), 413);

/** JSON with white space after it up to so many bytes. */
function padded(bytes: number): (json: string) => Buffer {
  return (json) => Buffer.concat([Buffer.from(json), Buffer.alloc(bytes - Buffer.byteLength(json), ' ')]);
}

/** Sizes of requests (contract: Errors). */
export const LIMIT_RULES: readonly Rule[] = [
  ...rules({ section: 'Errors', level: 'should' }, ['request-accepted'], {
    'too-large-413': {
      says: 'A body of 1,000,001 bytes is answered 413.',
      hint: LIMIT,
      check: tooLarge({}),
    },
    'too-large-chunked-413': {
      says: 'A body of 1,000,001 bytes with chunked transfer encoding is answered 413.',
      hint: LIMIT,
      check: tooLarge({ chunked: true }),
    },
    'largest-accepted': {
      says: 'A publish of exactly 1,000,000 bytes is accepted.',
      hint: 'Raise the limit of the body parser and of the proxy before it to 1,000,000 bytes.',
      needs: ['publish-accepted'],
      check: async (session) => {
        const data = session.article(session.id('largest'));
        expectSuccess(await session.send('article.published', data, { body: padded(MAX_BODY_BYTES) }));
      },
    },
  }),
];
