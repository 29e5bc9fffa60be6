import test from 'ava';
import {
  createEventSender,
  type EventSenderOptions,
} from '../../../../src/conformance/transport/event-sender.js';
import type { Reply } from '../../../../src/conformance/transport/probe.js';
import { DEFAULT_SERVICE } from '../../../../src/contract/service.js';

const RECEIVER = new URL('http://receiver.example/webhook');
const silence: Reply = { kind: 'silence', why: 'timeout', reason: 'none', ms: 1 };
const answer: Reply = { kind: 'answer', status: 200, headers: {}, text: '', bytes: 0, ms: 1, redirects: 0 };
const publish = { event: 'article.published', data: {} } as const;
const ask = { event: 'webhook.test', data: {} } as const;

/** A sender over a wire that gives these replies; `taken` counts the turns. */
function senderOver(replies: (sent: number) => Reply, over: Partial<EventSenderOptions> = {}) {
  let sent = 0;
  let taken = 0;
  const transport = { exchange: async () => replies(++sent) };
  const pace = {
    take: async (count = 1) => {
      taken += count;
    },
  };
  const options = { secret: 'a-secret', service: DEFAULT_SERVICE, maxMs: 60_000, readOnly: false, ...over };
  return { sender: createEventSender(options, transport, pace), sent: () => sent, taken: () => taken };
}

test('an event that went unanswered three times is not sent again; other events are', async (t) => {
  const { sender, sent } = senderOver((count) => (count <= 3 ? silence : answer));
  for (let n = 0; n < 3; n++) t.is((await sender.send(RECEIVER, publish)).kind, 'silence');
  const message = 'article.published went unanswered 3 times';
  await t.throwsAsync(sender.send(RECEIVER, publish), { name: 'NotChecked', message });
  t.is((await sender.send(RECEIVER, ask)).kind, 'answer');
  t.is(sent(), 4);
});

test('a publication is not sent in a read-only run, after the time is over, or after an interrupt', async (t) => {
  const aborted = AbortSignal.abort();
  for (const [over, message] of [
    [{ readOnly: true }, /it sends article\.published, and --read-only was given/],
    [{ maxMs: -1 }, /the time for the run is over/],
    [{ signal: aborted }, /the run was interrupted/],
  ] as const) {
    const { sender, sent } = senderOver(() => answer, over);
    await t.throwsAsync(sender.send(RECEIVER, publish), { name: 'NotChecked', message });
    await t.throwsAsync(sender.together(RECEIVER, [ask, publish]), { name: 'NotChecked', message });
    t.is(sent(), 0);
  }
});

test('a request that gets no answer is sent once, and counts once', async (t) => {
  const { sender, sent, taken } = senderOver(() => ({ ...silence, why: 'closed' }));
  t.is((await sender.send(RECEIVER, ask)).kind, 'silence');
  t.deepEqual([sent(), taken(), sender.journal.entries.length], [1, 1, 1]);
});
