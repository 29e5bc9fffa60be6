import type { UpdateData } from '../../../contract/envelope.js';
import { answered, expectEqual, expectSameHtml, expectStatus, expectThat, isSuccess } from '../../expect.js';
import { targetOf } from '../../lookup-target.js';
import { rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Reply } from '../../transport/probe.js';
import { expectUpdated, update, updatedUrl } from './update.js';

const LIST = `
# article.updated, 3; V2; needs update-revision-stored update-content
194 update-retry-200 (needs update-answer): A retry of the last update is answered like the update, although its base is no longer current.
  If revision_id already is the current revision, apply nothing and answer 200 as to the update, before you compare base_revision_id.
195 update-retry-applies-nothing (needs update-retry-200): A retry changes nothing, even if its content differs.
  If revision_id already is the current revision, answer 200 and apply nothing.

# article.updated, 4; V2; needs update-revision-stored update-content
192 update-stale-409: An update whose base is an older revision is answered 409.
196 update-unknown-base-409: An update whose base was never a revision of the article is answered 409.
197 update-stale-changes-nothing: An update whose base is an older revision changes nothing.
199 update-old-retry-changes-nothing: The retry of a replaced update does not bring its content back.
  If base_revision_id is not the current revision, answer 409 and change nothing.
198 update-old-retry-409: The retry of a replaced update is answered 409.
  If base_revision_id is not the current revision, answer 409 and change nothing. Remember only the current revision.

# article.updated, 5; V2; needs update-stale-409
200 concurrent-one-wins: If several updates of one revision arrive at the same moment, exactly one is answered 200.
202 concurrent-winner-stored (needs concurrent-one-wins): After several updates at the same moment, the article has the content and revision of the update that was answered 200.
  Compare and replace in one transaction, or with a conditional write (UPDATE … WHERE revision = …).
201 concurrent-others-409: If several updates of one revision arrive at the same moment, all but one are answered 409.
  Compare and replace in one transaction, or with a conditional write (UPDATE … WHERE revision = …). If nothing was replaced, answer 409.
203 update-seen-whole (States and transitions): A lookup at the moment of an update returns either the old revision and content or the new revision and content.
  Write content and revision in one transaction, and read them in one transaction.
204 update-same-twice-at-once (article.updated, 3; should; needs update-retry-200): An update that arrives several times at the same moment is answered 200 each time.
  If a conditional write replaced nothing, read the current revision again: it may be the update’s own.
`;

/** An update based on a revision that the article no longer has. */
async function stale(session: Session) {
  const data = await session.draft(await updatedUrl(session));
  await update(session);
  return data;
}

/** An update that a newer one has replaced. */
async function replaced(session: Session) {
  const { data } = await update(session);
  await update(session);
  return data;
}

/** Compare-and-set: retries, stale bases and concurrent updates (contract: article.updated, steps 3 to 6). */
export const REVISION_RULES = rules(LIST, {
  'update-retry-200': async (session) => {
    const { data } = await update(session);
    expectUpdated(session, data, await session.send('article.updated', data));
  },
  'update-retry-applies-nothing': async (session) => {
    const { data } = await update(session);
    const changed = { ...data, content_html: '<p>Of a retry</p>' };
    await session.unchangedBy(data.target_url, async () =>
      expectStatus(await session.send('article.updated', changed), 200),
    );
  },
  'update-stale-409': async (session) =>
    expectStatus(await session.send('article.updated', await stale(session)), 409),
  'update-unknown-base-409': async (session) => {
    const base_revision_id = session.id('never');
    expectStatus((await update(session, { base_revision_id })).answer, 409);
  },
  'update-stale-changes-nothing': async (session) => {
    const data = await stale(session);
    await session.unchangedBy(data.target_url, () => session.send('article.updated', data));
  },
  'update-old-retry-changes-nothing': async (session) => {
    const data = await replaced(session);
    await session.unchangedBy(data.target_url, () => session.send('article.updated', data));
  },
  'update-old-retry-409': async (session) => {
    expectStatus(await session.send('article.updated', await replaced(session)), 409);
  },
  'concurrent-one-wins': async (session) => {
    const { statuses } = await concurrentUpdates(session);
    const won = statuses.filter((status) => status === 200).length;
    expectThat(won === 1, 'one 200', `statuses ${statuses.join(', ')}`);
  },
  'concurrent-winner-stored': async (session) => {
    const { winner, url } = await concurrentUpdates(session);
    const stored = await session.lookup(url);
    expectEqual('revision_id', winner?.revision_id, stored.revision_id);
    expectSameHtml('content_html', winner?.content_html ?? '', stored.content_html);
  },
  'concurrent-others-409': async (session) => {
    const { statuses } = await concurrentUpdates(session);
    const lost = statuses.filter((status) => status === 409).length;
    expectThat(lost === statuses.length - 1, 'all but one 409', `statuses ${statuses.join(', ')}`);
  },
  'update-seen-whole': lookupsDuringUpdate,
  'update-same-twice-at-once': async (session) => {
    const now = await session.lookup(await updatedUrl(session));
    const data = session.update(session.id('twin'), now);
    const statuses = (await atOnce(session, Array(session.mostConcurrent).fill(data))).map(statusOf);
    expectThat(!statuses.some((one) => one !== 200), '200 each time', `statuses ${statuses.join(', ')}`);
  },
});

/**
 * Looks the article up repeatedly during an update, as far as the rate allows: each lookup has to find the article before or
 * after the update.
 */
async function lookupsDuringUpdate(session: Session): Promise<void> {
  const url = await updatedUrl(session);
  const before = await session.lookup(url);
  const data = session.update(session.id('watched'), before);
  const lookup = { event: 'article.lookup', data: { target_url: url } } as const;
  const lookups = Array.from({ length: session.mostConcurrent - 1 }, () => lookup);
  let isAnswered = false;
  const later: Reply[] = [];
  const follow = async () => {
    while (!isAnswered) later.push(await session.reply('article.lookup', lookup.data));
  };
  let following: Promise<void> | undefined;
  const replies = await session.together([{ event: 'article.updated', data }, ...lookups], () => {
    following = follow();
    following.catch(() => undefined); // it is awaited below
  });
  isAnswered = true;
  await following;
  const [updated, ...seen] = [...replies, ...later].map(answered);
  if (updated !== undefined) expectStatus(updated, 200);
  for (const { revision_id, content_html } of seen.map(targetOf)) {
    const isNew = revision_id === data.revision_id;
    if (!isNew) expectEqual('revision_id, the old one or the new,', before.revision_id, revision_id);
    expectSameHtml(
      `content_html of the ${isNew ? 'new' : 'old'} revision`,
      isNew ? data.content_html : before.content_html,
      content_html,
    );
  }
}

/**
 * Updates that are all based on the current revision, sent at the same moment, and then those that failed again, one after the
 * other: a busy database may answer 503, and the service sends the update again.
 */
async function concurrentUpdates(session: Session) {
  const url = await updatedUrl(session);
  const base = await session.draft(url);
  const drafts = Array.from({ length: session.mostConcurrent }, () => {
    const id = session.id('rival');
    return { ...base, id, revision_id: id, content_html: `<p>From the rival ${id}.</p>` };
  });
  const replies = await atOnce(session, drafts);
  for (const [n, data] of drafts.entries())
    if (statusOf(replies[n]) >= 500) replies[n] = await session.reply('article.updated', data);
  const winner = drafts[replies.findIndex((reply) => reply.kind === 'answer' && isSuccess(reply))];
  return { url, winner, statuses: replies.map(statusOf) };
}

const atOnce = (session: Session, drafts: readonly UpdateData[]) =>
  session.together(drafts.map((data) => ({ event: 'article.updated', data })));

/** The status of a reply; 0 if there is no answer. */
const statusOf = (reply: Reply | undefined) => (reply?.kind === 'answer' ? reply.status : 0);
