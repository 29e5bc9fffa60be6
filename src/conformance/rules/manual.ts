import { describe, expectEqual, expectStatus, expectThat, fieldsOf, NotChecked } from '../expect.js';
import { expectUnchanged } from '../lookup-target.js';
import { rules } from '../rule.js';
import type { PersonsStep, Session } from '../session.js';

const LIST = `
# States and transitions; V2; needs update-200
232 manual-edit-changes-revision: An edit in the receiver’s own admin changes the revision.
  Make a new revision each time an article is saved, not only in the webhook.
233 manual-edit-is-kept (article.updated, 4; needs manual-edit-changes-revision): An update based on the revision before a person’s edit is answered 409, and the edit is kept.
  Compare base_revision_id with the revision of the edit.
234 manual-restart-keeps-articles: A restart keeps the content and the revision of an article’s last update.
  Write articles and revisions to the disk before you answer.

# article.published; V3; needs publish-again-same-url update-200
235 manual-restart-keeps-ids (needs manual-restart-keeps-articles): A redelivery after a restart is answered with the same id and URL as before.
  Keep the ids of published articles on the disk, with the articles.
`;

async function ask(session: Session, step: PersonsStep): Promise<void> {
  const { ask: byHand } = session.options;
  if (byHand === undefined) throw new NotChecked('it needs a person; use --manual');
  await byHand(step);
}

/** The article that a person edited, before and after. */
const edited = (session: Session) =>
  session.once('edited by a person', async () => {
    const stored = await session.stored('edited-by-hand');
    const before = await session.lookup(stored.url());
    await ask(session, { kind: 'edit', title: before.title, url: before.url });
    return { before, after: await session.lookup(before.url) };
  });

/** The article that was stored and updated before a person restarted the receiver. */
const restarted = (session: Session) =>
  session.once('restarted by a person', async () => {
    const stored = await session.stored('restarted');
    expectStatus(await session.send('article.updated', await session.draft(stored.url())), 200);
    const before = await session.lookup(stored.url());
    await ask(session, { kind: 'restart' });
    return { stored, before };
  });

/** Rules that need a person, who edits an article and restarts the receiver. */
export const MANUAL_RULES = rules(LIST, {
  'manual-edit-changes-revision': async (session) => {
    const { before, after } = await edited(session);
    expectThat(
      before.revision_id !== after.revision_id,
      'another revision_id',
      'the same one as before the edit',
    );
  },
  'manual-edit-is-kept': async (session) => {
    const { before, after } = await edited(session);
    const stale = session.update(session.id('draft'), before);
    expectStatus(await session.send('article.updated', stale), 409);
    expectUnchanged(after, await session.lookup(after.url));
  },
  'manual-restart-keeps-articles': async (session) => {
    const { before } = await restarted(session);
    expectUnchanged(before, await session.lookup(before.url));
  },
  'manual-restart-keeps-ids': async (session) => {
    const { stored } = await restarted(session);
    const again = await session.send('article.published', stored.data);
    expectThat(again.status === 200, 'status 200', describe(again));
    for (const name of ['id', 'url']) expectEqual(name, fieldsOf(stored.answer)[name], fieldsOf(again)[name]);
  },
});
