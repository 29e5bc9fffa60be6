import type { UpdateData } from '../../../contract/envelope.js';
import { expectRefusal, expectStatus, expectThat } from '../../expect.js';
import { inEachCase, rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Answer } from '../../transport/probe.js';
import type { Overrides } from '../../transport/request.js';
import { updatedUrl } from './update.js';

const LIST = `
# article.updated, 1; V2; needs update-200
167 update-field-missing: An update without id, target_id, target_url, base_revision_id or revision_id is answered 400.
168 update-field-empty: An update whose id, target_id, target_url, base_revision_id or revision_id is empty is answered 400.
  Check that id, target_id, target_url, base_revision_id and revision_id are nonempty texts; answer 400.
253 update-field-number: An update with a number instead of a text is answered 400.
177 update-title-null: An update whose title is null is answered 400.
178 update-tags-text: An update whose tags is a text is answered 400.
  Check the types of all fields before you look the article up; answer 400.
179 update-format-before-target: An update with both a wrong form and a wrong target is answered 400, not 404.
  Check in the contract’s order: the form, the target, the revisions.
180 update-version: An update whose contract_version is 3, the text "2" or missing is refused and changes nothing.
182 update-version-400 (Errors; should): An update without contract_version is answered 400.
  Answer 400 if contract_version is not the integer 2.
`;

const version = (contract_version: unknown): Overrides => ({ envelope: { contract_version } });
type Over = Partial<Record<keyof UpdateData, unknown>>;

/** Sends a signed but faulty update of the run's article. */
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

const REQUIRED = ['id', 'target_id', 'target_url', 'base_revision_id', 'revision_id'] as const;

/** Expects a 400 for this value in each required field of an update. */
const requires = (value: unknown) =>
  inEachCase(Object.fromEntries(REQUIRED.map((field) => [field, answered400({ [field]: value })])));

/** Expects that the update is refused and that the article does not change. */
export const untouched =
  (over: (data: UpdateData, session: Session) => Over, overrides?: Overrides) => async (session: Session) =>
    session.unchangedBy(await updatedUrl(session), async () =>
      expectRefusal(await wrong(session, (data) => over(data, session), overrides)),
    );

/** A target that does not exist. */
export function nowhere(session: Session): Over {
  const { id, url } = session.nowhere();
  return { target_id: id, target_url: url };
}

/** Malformed updates (contract: article.updated, step 1). */
export const UPDATE_FORM_RULES = rules(LIST, {
  'update-field-missing': requires(undefined),
  'update-field-empty': requires(''),
  'update-field-number': async (session) => {
    const data = await session.draft(await updatedUrl(session));
    for (const [field, value] of Object.entries(data)) {
      if (typeof value !== 'string') continue;
      const { status } = await session.send('article.updated', { ...data, [field]: 4711 });
      expectThat(status === 400, `status 400 to a number as ${field}`, `status ${status}`);
    }
  },
  'update-title-null': answered400({ title: null }),
  'update-tags-text': answered400({ tags: 'one, two' }),
  'update-format-before-target': async (session) =>
    expectStatus(await wrong(session, () => ({ ...nowhere(session), content_html: 4711 })), 400),
  'update-version': inEachCase({
    'contract_version 3': untouched(() => ({}), version(3)),
    'contract_version "2"': untouched(() => ({}), version('2')),
    'no contract_version': untouched(() => ({}), version(undefined)),
  }),
  'update-version-400': async (session) =>
    expectStatus(await wrong(session, () => ({}), version(undefined)), 400),
});
