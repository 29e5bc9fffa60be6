import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { articleFiles, debris } from '../../support/content.js';
import { article } from '../../support/events.js';
import { createFaults } from '../../support/faults.js';
import { startReceiver } from '../../support/receiver.js';

for (const [where, when] of [
  ['before', 'before'],
  ['after', 'after'],
] as const) {
  test(`a holder that is stopped just ${where} it names its file is waited for, not robbed`, async (t) => {
    const faults = createFaults(t);
    const holder = await startReceiver(t, faults.options);
    const other = await startReceiver(t, { dir: holder.dir });
    const data = article();
    faults.set({ call: 'link', path: '\\.tmp$', stop: true, when, times: 1 });
    const stopped = holder.post('article.published', data);
    // What was called is written down before it happens.
    while (!faults.trace().some(({ call }) => call === 'link')) await pause(5);
    let answered = false;
    const waiting = other.post('article.published', data).finally(() => {
      answered = true;
    });
    await pause(800);
    t.false(answered, 'nobody else may write while the holder is inside');
    holder.signal('SIGCONT');

    const answers = await Promise.all([stopped, waiting]);
    t.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    t.is(answers[0]?.text, answers[1]?.text);
    t.is(articleFiles(holder.dir).length, 1);
    t.deepEqual(debris(holder.dir), []);
  });
}

test('a holder that is killed is no hindrance', async (t) => {
  const faults = createFaults(t);
  const holder = await startReceiver(t, faults.options);
  const other = await startReceiver(t, { dir: holder.dir });
  const data = article();
  faults.set({ call: 'link', path: '\\.tmp$', stop: true, when: 'after', times: 1 });
  const lost = t.throwsAsync(holder.post('article.published', data));
  while (!faults.trace().some(({ call }) => call === 'link')) await pause(5);
  const waiting = other.post('article.published', data);
  await holder.kill('SIGKILL');
  await lost;
  t.is((await waiting).status, 200);
  t.is(articleFiles(holder.dir).length, 1);
});
