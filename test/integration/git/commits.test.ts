import test from 'ava';
import { makeSite } from './site.js';

test('a publication and an update have one commit each, of that file alone', async (t) => {
  const site = await makeSite(t);
  await site.start();
  const path = await site.publish('one');
  await site.untilCommitted(1);
  await site.update('one', { title: 'New title', revision: 'draft-2' });
  await site.untilCommitted(2);

  const log = await site.git('log', '-2', '--reverse', '--format=%an <%ae>%n%B%x00', '--name-status');
  t.is(
    log,
    [
      'Olga Owner <olga@example.org>',
      'Publish: Title of one',
      '',
      'Article-Id: one',
      'Revision-Id: rev-one-1',
      'Delivery-Timestamp: 2026-11-19T08:00:00Z',
      '\0',
      '',
      `A\t${path}`,
      'Olga Owner <olga@example.org>',
      'Update: New title',
      '',
      'Article-Id: one',
      'Revision-Id: draft-2',
      'Delivery-Timestamp: 2026-11-20T08:00:00Z',
      '\0',
      '',
      `M\t${path}`,
      '',
    ].join('\n'),
  );
  t.is(
    await site.git('log', '-1', '--format=%(trailers:key=Revision-Id,valueonly,separator=%x2C)'),
    'draft-2\n',
  );
  t.is(await site.git('show', `HEAD:${path}`), await site.read(path));
  t.is(await site.git('status', '--porcelain'), '');
  t.is(site.committed[1]?.commit, (await site.git('rev-parse', 'HEAD')).trim());
  t.deepEqual({ ...site.committed[1], commit: '' }, { commit: '', path, subject: 'Update: New title' });
  t.is((await site.git('reflog', 'HEAD')).split('\n').length, 4);
});

test('99 publications at once and an update have 100 commits, in order, in a repository that git finds nothing wrong with', async (t) => {
  const site = await makeSite(t);
  await site.start();
  const ids = Array.from({ length: 99 }, (_, index) => `article-${index}`);
  for (const id of ids) await site.publish(id);
  await site.update('article-50', { revision: 'again' });
  await site.untilCommitted(100);

  const subjects = await site.subjects();
  const updated = 'Publish: Title of article-50';
  // An update has its publication committed first, without a pause.
  t.deepEqual(
    subjects.filter((subject) => subject !== updated),
    ['First', ...ids.map((id) => `Publish: Title of ${id}`), 'Update: Title of article-50'].filter(
      (subject) => subject !== updated,
    ),
  );
  t.true(subjects.includes(updated));
  const counts = await site.git('log', '-100', '--format=', '--shortstat');
  t.is(counts.match(/ 1 file changed/g)?.length, 100);
  t.is(await site.git('fsck', '--full', '--strict', '--no-dangling'), '');
  t.is(await site.git('status', '--porcelain'), '');
  await site.stop();
  t.is(await site.git('for-each-ref', '--format=%(refname)'), 'refs/heads/main\n');
});

test('the filter git.message may change the message, not the trailers; its failure keeps the message; an article can be the first commit', async (t) => {
  const site = await makeSite(t, { repository: 'unborn' });
  await site.start({
    setup(host) {
      host.addFilter('git.message', (value, { article }) => {
        if (article.id === 'two') throw new Error('no');
        return `${value} (by plugin)\n\nmore about it\nArticle-Id: forged`;
      });
    },
  });
  await site.publish('one');
  await site.publish('two');
  await site.untilCommitted(2);
  t.deepEqual(await site.subjects(), ['Publish: Title of one (by plugin)', 'Publish: Title of two']);
  t.is(await site.git('status', '--porcelain'), '');
  const message = await site.git('log', '-1', '--format=%B', 'HEAD^');
  t.true(message.includes('\n\nmore about it\n'));
  t.is(await site.git('log', '-1', '--format=%(trailers:key=Article-Id,valueonly)', 'HEAD^'), 'one\n\n');
});

test('a commit has the message of the config with [skip ci], also when it is made after a restart', async (t) => {
  const site = await makeSite(t);
  const options = { message: 'content(:slug): :kind “:title”\n\nby :author', skipCi: true };
  const host = await site.start(options);
  await site.publish('one');
  await host.close(); // what waits is committed before
  t.is(site.committed.length, 1);
  await site.stop();
  await site.publish('two');
  const again = await site.start(options);
  await again.hooks.doAction('host.ready', { url: '' });
  await site.untilCommitted(2);
  const messageOf = (id: string) =>
    `content(${id}): Publish “Title of ${id}” [skip ci]\n\nby A. Uthor\n\n` +
    `Article-Id: ${id}\nRevision-Id: rev-${id}-1\nDelivery-Timestamp: 2026-11-19T08:00:00Z\n\n`;
  t.is(await site.git('log', '-2', '--format=%B', '--reverse'), messageOf('one') + messageOf('two'));
});
