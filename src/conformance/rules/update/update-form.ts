import type { UpdateData } from '../../../contract/envelope.js';
import { expectRefusal, expectStatus, expectThat } from '../../expect.js';
import { rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Answer } from '../../transport/probe.js';
import type { Overrides } from '../../transport/request.js';
import { updatedUrl } from './update.js';

const LIST = `
# article.updated, 1; V2; needs update-200
167 update-target-id-missing: An update without data.target_id is answered 400.
168 update-target-id-empty: An update whose data.target_id is empty is answered 400.
169 update-target-url-missing: An update without data.target_url is answered 400.
170 update-target-url-empty: An update whose data.target_url is empty is answered 400.
171 update-base-revision-id-missing: An update without data.base_revision_id is answered 400.
172 update-base-revision-id-empty: An update whose data.base_revision_id is empty is answered 400.
173 update-revision-id-missing: An update without data.revision_id is answered 400.
174 update-revision-id-empty: An update whose data.revision_id is empty is answered 400.
175 update-id-missing: An update without data.id is answered 400.
252 update-id-empty: An update whose data.id is empty is answered 400.
  Check that id, target_id, target_url, base_revision_id and revision_id are nonempty texts; answer 400.
253 update-field-number: An update in which a number is in the place of any text is answered 400.
177 update-title-null: An update whose title is null is answered 400.
178 update-tags-text: An update whose tags are a text is answered 400.
  Check the types of all fields before you look the article up; answer 400.
179 update-format-before-target: An update that is wrong in its form and in its target is answered 400, not 404.
  Keep to the order of the contract: the form first, then the target, then the revisions.
180 update-version-missing: An update without contract_version is refused and changes nothing.
181 update-version-3 (Versioning): An update with contract_version 3 is refused and changes nothing: requests say 2 in all versions.
254 update-version-text (Request envelope): An update whose contract_version is the text "2" is refused and changes nothing: it is an integer.
182 update-version-400 (Errors; should): An update without contract_version is answered 400.
  Answer 400 where contract_version is not the integer 2.
`;

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

/** The checks that a field is there and not empty. */
function nonempty(field: keyof UpdateData) {
  const id = `update-${field.replaceAll('_', '-')}`;
  return {
    [`${id}-missing`]: answered400({ [field]: undefined }),
    [`${id}-empty`]: answered400({ [field]: '' }),
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
export const UPDATE_FORM_RULES = rules(LIST, {
  ...nonempty('target_id'),
  ...nonempty('target_url'),
  ...nonempty('base_revision_id'),
  ...nonempty('revision_id'),
  ...nonempty('id'),
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
  'update-version-missing': untouched(() => ({}), NO_VERSION),
  'update-version-3': untouched(() => ({}), { envelope: { contract_version: 3 } }),
  'update-version-text': untouched(() => ({}), { envelope: { contract_version: '2' } }),
  'update-version-400': async (session) => expectStatus(await wrong(session, () => ({}), NO_VERSION), 400),
});
