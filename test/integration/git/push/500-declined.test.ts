import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { inClone, makeRemote } from '../../../support/clones.js';
import { article } from '../../../support/events.js';
import { startHere } from '../../../support/receiver-here.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';
import { statusOf } from './pushing-site.js';

test('500: an article that the remote declines does not fail its neighbours, and is stored when the remote wants it', async (t) => {
  const folder = tempDir(t);
  const clones = makeRemote(folder);
  const hook = join(clones.remote, 'hooks', 'update');
  const refused =
    '#!/bin/sh\ngit ls-tree -r --name-only "$3" | grep -q forbidden || exit 0\necho \'No such slugs here.\'\nexit 1\n';
  fs.writeFileSync(hook, refused, { mode: 0o755 });
  const receiver = await startHere(t, { ...inClone(clones.clone('site')), resend: true });
  const all = ['one', 'forbidden', 'two', 'three'].map((slug) => article({ slug }));
  const publishAll = () =>
    Promise.all(all.map((data) => receiver.post('article.published', data).then(({ status }) => status)));
  t.deepEqual(await publishAll(), [200, 500, 200, 200]);
  t.is((await receiver.post('article.published', all[1])).status, 500, 'again, by itself');
  const { isDeclined, lastError } = await statusOf(receiver);
  t.true(isDeclined);
  t.regex(lastError ?? '', /^the git remote origin declined the push: hook declined; No such slugs here\./);
  t.is(clones.articles().size, 3);
  await until('the log says why', () =>
    receiver.log.some(({ level, why }) => level === 50 && String(why).includes('No such slugs here.')),
  );
  fs.rmSync(hook);
  t.deepEqual(await publishAll(), [200, 200, 200, 200]);
  t.is(clones.articles().size, 4);
});
