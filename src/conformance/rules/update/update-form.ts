import type { UpdateData } from '../../../contract/envelope.js';
import { expectRefusal, expectStatus, expectThat } from '../../expect.js';
import { type OwnRule, rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Answer } from '../../transport/probe.js';
import type { Overrides } from '../../transport/request.js';
import { updatedUrl } from './update.js';

const NONEMPTY =
  'Check that id, target_id, target_url, base_revision_id and revision_id are nonempty texts; answer 400.';
const TYPES = 'Check the types of all fields before you look the article up; answer 400.';
const FORMAT = 'Answer 400 where contract_version is not the integer 2.';
const NO_VERSION: Overrides = { envelope: { contract_version: undefined } };
type Over = Partial<Record<keyof UpdateData, unknown>>;

/** A signed update of the run's article with something wrong in it. */
export async function wrong(
  session: Session,
  over: (data: UpdateData) => Over,
  overrides?: Overrides,
): Promise<Answer> {
  const data = await session.draft(await updatedUrl(session));
  return session.send('article.updated', { ...data, ...over(data) }, overrides);
}

const answered400 = (over: Over) => async (session: Session) =>
  expectStatus(await wrong(session, () => over), 400);

/** Rules that a field is there and not empty. */
function nonempty(field: keyof UpdateData): Record<string, OwnRule> {
  const id = `update-${field.replaceAll('_', '-')}`;
  return {
    [`${id}-missing`]: {
      says: `An update without data.${field} is answered 400.`,
      check: answered400({ [field]: undefined }),
    },
    [`${id}-empty`]: {
      says: `An update whose data.${field} is empty is answered 400.`,
      check: answered400({ [field]: '' }),
    },
  };
}

/** The update has to be refused and the article to be as it was. */
export const untouched =
  (over: (data: UpdateData, session: Session) => Over, overrides?: Overrides) => async (session: Session) =>
    session.unchangedBy(await updatedUrl(session), async () =>
      expectRefusal(await wrong(session, (data) => over(data, session), overrides)),
    );

/** A target that is not there. */
export function nowhere(session: Session): Over {
  const { id, url } = session.nowhere();
  return { target_id: id, target_url: url };
}

/** Updates of a wrong form (contract: article.updated, step 1). */
export const UPDATE_FORM_RULES = rules(
  { section: 'article.updated, 1', from: 2, hint: NONEMPTY },
  ['update-200'],
  {
    ...nonempty('target_id'),
    ...nonempty('target_url'),
    ...nonempty('base_revision_id'),
    ...nonempty('revision_id'),
    ...nonempty('id'),
    'update-field-number': {
      says: 'An update in which a number is in the place of any text is answered 400.',
      hint: TYPES,
      check: async (session) => {
        const data = await session.draft(await updatedUrl(session));
        for (const [field, value] of Object.entries(data)) {
          if (typeof value !== 'string') continue;
          const { status } = await session.send('article.updated', { ...data, [field]: 4711 });
          expectThat(status === 400, `status 400 to a number as ${field}`, `status ${status}`);
        }
      },
    },
    'update-title-null': {
      says: 'An update whose title is null is answered 400.',
      hint: TYPES,
      check: answered400({ title: null }),
    },
    'update-tags-text': {
      says: 'An update whose tags are a text is answered 400.',
      hint: TYPES,
      check: answered400({ tags: 'one, two' }),
    },
    'update-format-before-target': {
      says: 'An update that is wrong in its form and in its target is answered 400, not 404.',
      hint: 'Keep to the order of the contract: the form first, then the target, then the revisions.',
      check: async (session) =>
        expectStatus(await wrong(session, () => ({ ...nowhere(session), content_html: 4711 })), 400),
    },
    'update-version-missing': {
      says: 'An update without contract_version is refused and changes nothing.',
      hint: FORMAT,
      check: untouched(() => ({}), NO_VERSION),
    },
    'update-version-3': {
      section: 'Versioning',
      says: 'An update with contract_version 3 is refused and changes nothing: requests say 2 in all versions.',
      hint: FORMAT,
      check: untouched(() => ({}), { envelope: { contract_version: 3 } }),
    },
    'update-version-text': {
      section: 'Request envelope',
      says: 'An update whose contract_version is the text "2" is refused and changes nothing: it is an integer.',
      hint: FORMAT,
      check: untouched(() => ({}), { envelope: { contract_version: '2' } }),
    },
    'update-version-400': {
      section: 'Errors',
      level: 'should',
      says: 'An update without contract_version is answered 400.',
      hint: FORMAT,
      check: async (session) => expectStatus(await wrong(session, () => ({}), NO_VERSION), 400),
    },
  },
);
