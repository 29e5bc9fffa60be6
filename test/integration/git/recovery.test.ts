import test from 'ava';
import { makeSite, startAndCheck } from './site.js';

test('articles that a crash left uncommitted are committed at the next start', async (t) => {
  const site = await makeSite(t, { folder: 'site' });
  await site.start();
  const updated = await site.publish('updated');
  const edited = await site.publish('edited');
  const removed = await site.publish('removed');
  await site.publish('unchanged');
  await site.untilCommitted(4);
  await site.stop();

  // no plugin runs: as if it had been killed before it came to them
  await site.update('updated', { title: 'Later', revision: 'r2' });
  await site.publish('new');
  const draft = await site.publish('edited-before-its-commit');
  await site.write(draft, `${await site.read(draft)}my words\n`);
  await site.write(edited, `${await site.read(edited)}my words\n`);
  await site.git('rm', '-q', '--cached', `site/${removed}`);
  await site.git('commit', '-qm', 'Take it out');

  await startAndCheck(site);
  t.is(site.committed.length, 6);
  t.deepEqual((await site.subjects()).slice(5), ['Take it out', 'Update: Later', 'Publish: Title of new']);
  t.is(
    await site.git('log', '-1', '--format=%(trailers)', 'HEAD^'),
    'Article-Id: updated\nRevision-Id: r2\nDelivery-Timestamp: 2026-11-20T08:00:00Z\n\n',
  );
  t.is(await site.git('show', `HEAD:site/${updated}`), await site.read(updated));
  t.is(await site.git('status', '--porcelain'), ` M site/${edited}\n?? site/${draft}\n?? site/${removed}\n`);
});

test('an article that the owner has set back to an earlier text stays so', async (t) => {
  const site = await makeSite(t);
  await site.start();
  const path = await site.publish('one');
  await site.untilCommitted(1);
  await site.update('one', { revision: 'r2' });
  await site.untilCommitted(2);
  await site.stop();
  await site.git('checkout', 'HEAD~1', '--', path);
  await site.publish('two');
  await startAndCheck(site);
  t.deepEqual(await site.subjects(), [
    'First',
    'Publish: Title of one',
    'Update: Title of one',
    'Publish: Title of two',
  ]);
  t.is(await site.git('status', '--porcelain'), `M  ${path}\n`);
});

test('the start-up check and deliveries at the same time commit everything once', async (t) => {
  const site = await makeSite(t);
  for (let index = 0; index < 20; index++) await site.publish(`old-${index}`);
  const host = await site.start();
  await Promise.all([
    host.hooks.doAction('host.ready', { url: '' }),
    ...Array.from({ length: 20 }, (_, index) => site.publish(`new-${index}`)),
  ]);
  await site.untilCommitted(40);
  await site.stop();
  const subjects = (await site.subjects()).slice(1);
  t.is(subjects.length, 40);
  t.is(new Set(subjects).size, 40);
  t.is(await site.git('status', '--porcelain'), '');
});

test('after the owner has moved the branch back, articles without a commit are committed, and staged ones are left to them', async (t) => {
  const site = await makeSite(t);
  await site.start();
  await site.publish('one');
  await site.publish('two');
  await site.untilCommitted(2);
  await site.git('reset', '-q', '--soft', 'HEAD~1');
  await site.untilLogged('HEAD was moved');
  await site.untilLogged('articles compared with the branch');
  t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one']);
  t.regex(await site.git('status', '--porcelain'), /^A {2}content/);

  await site.git('reset', '-q', 'HEAD~1');
  await site.untilCommitted(4);
  t.deepEqual((await site.subjects()).sort(), ['First', 'Publish: Title of one', 'Publish: Title of two']);
  t.is(await site.git('status', '--porcelain'), '');
});
