import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { articleFiles } from '../../support/content.js';
import { article } from '../../support/events.js';
import { createFaults } from '../../support/faults.js';
import { STORE_ONLY, startReceiver } from '../../support/receiver.js';

test('a journal line that was cut off hides nothing that is named after it', async (t) => {
  const faults = createFaults(t);
  const first = await startReceiver(t, faults.options);
  const { dir } = first;
  const second = await startReceiver(t, { dir });
  faults.set({ call: 'write', path: '/journal$', code: 'ENOSPC', halfway: true, times: 1 });
  t.is((await first.post('article.published', article())).status, 500);

  // The next one is named, stored, and its process is killed before it can name it again.
  faults.set({ call: 'link', path: '\\.tmp$', stop: true, when: 'after', times: 1 });
  const data = article();
  const lost = t.throwsAsync(first.post('article.published', data));
  while (!faults.trace().some(({ call }) => call === 'link')) await pause(5);
  const waiting = second.post('article.published', data);
  await first.kill('SIGKILL');
  await lost;
  t.is((await waiting).status, 200);
  t.is(articleFiles(dir).length, 1);
});

test('news that could not be read stay news', async (t) => {
  const faults = createFaults(t);
  const first = await startReceiver(t, STORE_ONLY);
  const { dir } = first;
  const second = await startReceiver(t, { ...faults.options, dir });
  for (let round = 0; round < 5; round++) {
    faults.set({ call: 'open', path: '\\.md$', code: 'EMFILE' });
    const data = article();
    const { text } = await first.post('article.published', data);
    t.is((await second.post('article.published', data)).status, 500);
    faults.clear();
    t.is((await second.post('article.published', data)).text, text);
  }
  t.is(articleFiles(dir).length, 5);
});

test('without .pressmark nothing is lost but time', async (t) => {
  const first = await startReceiver(t, STORE_ONLY);
  const { dir } = first;
  const second = await startReceiver(t, { dir });
  const receivers = [first, second, first];
  for (const [n, receiver] of receivers.entries()) {
    const data = article();
    fs.rmSync(join(dir, '.pressmark'), { recursive: true });
    const { status, text } = await receiver.post('article.published', data);
    t.is(status, 200, text);
    for (const other of receivers) t.is((await other.post('article.published', data)).text, text);
    t.is(articleFiles(dir).length, n + 1);
  }
});
