import {
  describe,
  expectRefusal,
  expectStatus,
  expectThat,
  fieldsOf,
  isSuccess,
  shown,
} from '../../expect.js';
import { type Rule, rules } from '../../rule.js';
import { testSample } from '../../samples.js';
import type { Session } from '../../session.js';
import type { Answer } from '../../transport/probe.js';
import type { Overrides } from '../../transport/request.js';

const PARSE = 'Answer 400 where the verified body cannot be parsed.';
const CHECK = 'Check the verified payload before you use it, and answer 400 with the name of the field.';

/** Signed bytes in the place of a webhook.test: even a receiver that takes them has nothing to write. */
const bytes = (body: () => string) => async (session: Session) =>
  expectStatus(await session.send('webhook.test', {}, { body }), 400);

/** JSON with a byte in one of its texts that is no UTF-8; nothing else is wrong with it. */
function notUtf8(json: string): Buffer {
  const [before = '', after = ''] = json.split('connection');
  return Buffer.concat([Buffer.from(before), Buffer.of(0xff), Buffer.from(after)]);
}

/** A publish that is signed but wrong. */
const publish =
  (over: Record<string, unknown>, overrides: Overrides = {}) =>
  async (session: Session) => {
    const data = { ...session.article(session.id('invalid')), ...over };
    expectStatus(await session.send('article.published', data, overrides), 400);
  };

/** Signed, but no valid payload: 400 (contract: Errors). */
export const VALIDATION_RULES: readonly Rule[] = rules({ section: 'Errors', needs: ['request-accepted'] }, [
  {
    id: 'json-cut-off',
    says: 'Signed JSON that is cut off is answered 400.',
    hint: PARSE,
    check: bytes(() => '{"event":"webhook.test","data":'),
  },
  {
    id: 'json-empty',
    says: 'A signed request with an empty body is answered 400.',
    hint: PARSE,
    check: bytes(() => ''),
  },
  {
    id: 'json-no-json',
    says: 'A signed body that is a form and no JSON is answered 400.',
    hint: PARSE,
    check: bytes(() => 'event=webhook.test&id=1'),
  },
  {
    id: 'json-null',
    says: 'The signed JSON value null is answered 400.',
    hint: CHECK,
    check: bytes(() => 'null'),
  },
  { id: 'json-array', says: 'A signed JSON array is answered 400.', hint: CHECK, check: bytes(() => '[]') },
  {
    id: 'json-text',
    says: 'A signed JSON text is answered 400.',
    hint: CHECK,
    check: bytes(() => '"webhook.test"'),
  },
  {
    id: 'json-invalid-utf8',
    level: 'should',
    section: 'Request envelope',
    says: 'Signed bytes that are not UTF-8 are answered 400.',
    hint: 'Decode the body as strict UTF-8, and answer 400 where that fails.',
    check: async (session) =>
      expectStatus(
        await session.send('webhook.test', testSample(session.id('test')), { body: notUtf8 }),
        400,
      ),
  },
  {
    id: 'event-missing',
    says: 'A signed request without event is answered 400.',
    hint: CHECK,
    check: async (session) =>
      expectStatus(
        await session.send('webhook.test', testSample(session.id('test')), {
          envelope: { event: undefined },
        }),
        400,
      ),
  },
  {
    id: 'event-unknown-refused',
    section: 'Events',
    says: 'An event that is not implemented fails with a status other than 2xx.',
    hint: 'Answer 400 to every event that you do not know; a 2xx says that it has landed.',
    check: async (session) => expectRefusal(await unknown(session)),
  },
  {
    id: 'event-unknown-400',
    level: 'should',
    says: 'An event that is not implemented is answered 400.',
    hint: 'Answer 400 to every event that you do not know.',
    check: async (session) => expectStatus(await unknown(session), 400),
  },
  {
    id: 'publish-data-missing',
    says: 'A publish without data is answered 400.',
    hint: CHECK,
    check: publish({}, { envelope: { data: undefined } }),
  },
  {
    id: 'publish-data-null',
    says: 'A publish whose data is null is answered 400.',
    hint: CHECK,
    check: publish({}, { envelope: { data: null } }),
  },
  {
    id: 'publish-id-missing',
    says: 'A publish without data.id is answered 400.',
    hint: CHECK,
    check: publish({ id: undefined }),
  },
  {
    id: 'publish-id-empty',
    says: 'A publish whose data.id is empty is answered 400.',
    hint: CHECK,
    check: publish({ id: '' }),
  },
  {
    id: 'publish-id-number',
    level: 'should',
    says: 'A publish whose data.id is a number is answered 400.',
    hint: CHECK,
    check: publish({ id: 4711 }),
  },
  {
    id: 'publish-id-null',
    says: 'A publish whose data.id is null is answered 400.',
    hint: CHECK,
    check: publish({ id: null }),
  },
  {
    id: 'publish-wrong-type',
    level: 'should',
    says: 'A publish whose content_html is not a text is answered 400.',
    hint: CHECK,
    check: publish({ content_html: { html: 'no' } }),
  },
  {
    id: 'publish-tags-null',
    level: 'should',
    section: 'Article',
    says: 'A publish whose tags are null is answered 400.',
    hint: CHECK,
    check: publish({ tags: null }),
  },
  errorShape('error-shape-401', 'A 401', (session) =>
    session.send('webhook.test', {}, { signature: () => undefined }),
  ),
  errorShape('error-shape-400', 'A 400', (session) => session.send('webhook.test', {}, { body: () => '{' })),
  {
    id: 'lookup-not-acknowledged',
    section: 'article.updated',
    says: 'A lookup is never answered with a generic acknowledgement: a 2xx carries a target.',
    hint: 'Answer 400 to article.lookup as long as you do not implement it.',
    check: async (session) => {
      const answer = await session.send('article.lookup', { target_url: 'https://nowhere.example/none/' });
      const target = isSuccess(answer) ? fieldsOf(answer).target : {};
      expectThat(target !== undefined, 'a status other than 2xx, or a target', describe(answer));
    },
  },
  {
    id: 'update-not-acknowledged',
    section: 'article.updated',
    says: 'An update that cannot be made is never answered with a generic acknowledgement.',
    hint: 'Answer 400 to article.updated as long as you do not implement it.',
    check: async (session) =>
      expectRefusal(await session.send('article.updated', { id: session.id('draft') })),
  },
]);

function unknown(session: Session): Promise<Answer> {
  return session.send('webhook.test', {}, { envelope: { event: 'article.unheard' } });
}

function errorShape(id: string, which: string, refused: (session: Session) => Promise<Answer>) {
  return {
    id,
    says: `${which} carries {"error": message} as JSON.`,
    hint: 'Answer every refusal with a JSON object whose error says what was wrong.',
    check: async (session: Session) => {
      const { error } = fieldsOf(await refused(session));
      expectThat(typeof error === 'string' && error !== '', 'a nonempty text error', `error ${shown(error)}`);
    },
  };
}
