import { ERROR_BODY, expectErrorBody, expectRefusal, expectStatus } from '../../expect.js';
import { type Rule, rules } from '../../rule.js';
import type { Session } from '../../session.js';
import { nothing } from './lookup.js';

const EXACT = 'Answer 404 where no article is at exactly this URL.';
const FORMAT = 'Answer 400 where contract_version is not the integer 2.';

/** A lookup with this contract_version of an article that is there. */
const ofVersion = async (session: Session, version: unknown) =>
  session.send(
    'article.lookup',
    { target_url: await session.known() },
    { envelope: { contract_version: version } },
  );

const invalid = (data: Record<string, unknown>) => async (session: Session) =>
  expectStatus(await session.send('article.lookup', data), 400);

/** Lookups that must not find anything (contract: article.lookup, Errors). */
export const LOOKUP_REFUSED_RULES: readonly Rule[] = [
  ...rules({ section: 'article.lookup', from: 2 }, ['request-accepted'], {
    'lookup-nothing-refused': {
      says: 'A lookup of a URL where no article is fails with a status other than 2xx.',
      hint: EXACT,
      check: async (session) => expectRefusal(await nothing(session)),
    },
    'lookup-nothing-404': {
      section: 'Errors',
      level: 'should',
      says: 'A lookup of a URL where no article is gets 404.',
      hint: EXACT,
      check: async (session) => expectStatus(await nothing(session), 404),
    },
    'error-shape-404': {
      section: 'Errors',
      level: 'should',
      says: 'The refusal of a lookup carries {"error": message} as JSON.',
      hint: ERROR_BODY,
      check: async (session) => expectErrorBody(await nothing(session)),
    },
    'lookup-target-url-missing': {
      section: 'Errors',
      says: 'A lookup without target_url is answered 400.',
      hint: 'Check that target_url is a nonempty text.',
      check: invalid({}),
    },
    'lookup-target-url-empty': {
      section: 'Errors',
      says: 'A lookup whose target_url is empty is answered 400.',
      hint: 'Check that target_url is a nonempty text.',
      check: invalid({ target_url: '' }),
    },
    'lookup-target-url-number': {
      section: 'Errors',
      says: 'A lookup whose target_url is a number is answered 400.',
      hint: 'Check that target_url is a nonempty text.',
      check: invalid({ target_url: 4711 }),
    },
  }),
  ...rules({ section: 'article.lookup', from: 2, hint: FORMAT }, ['lookup-200'], {
    'lookup-version-missing': {
      section: 'Errors',
      says: 'A lookup without contract_version is refused.',
      check: async (session) => expectRefusal(await ofVersion(session, undefined)),
    },
    'lookup-version-3': {
      section: 'Versioning',
      says: 'A lookup with contract_version 3 is refused: requests say 2 in all versions.',
      check: async (session) => expectRefusal(await ofVersion(session, 3)),
    },
    'lookup-version-text': {
      section: 'Request envelope',
      says: 'A lookup whose contract_version is the text "2" is refused: it is an integer.',
      check: async (session) => expectRefusal(await ofVersion(session, '2')),
    },
    'lookup-version-400': {
      section: 'Errors',
      level: 'should',
      says: 'A lookup without contract_version is answered 400.',
      check: async (session) => expectStatus(await ofVersion(session, undefined), 400),
    },
  }),
];
