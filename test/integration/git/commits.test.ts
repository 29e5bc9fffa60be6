import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { createCommitArticles } from '../../../src/git/commit/commit-articles.js';
import { checkContentFolder } from '../../../src/git/content-folder.js';
import type { Git } from '../../../src/git/git.js';
import { openRepository } from '../../../src/git/repository.js';
import { withSigner } from '../../support/commit-signer.js';
import { decode } from '../../support/plain-files.js';
import { environment, makeSite } from './site.js';

test('a publication and an update have one commit each, of that file alone, with the message of the config and of plugins, and trailers that neither can forge', async (t) => {
  const site = await makeSite(t);
  await site.start({
    author: { name: 'Bot', email: 'bot@example.org' },
    message: 'content(:slug): :kind “:title”\n\nby :author',
    skipCi: true,
    setup: (host) => host.addFilter('git.message', (value) => `${value}\nArticle-Id: forged`),
  });
  const path = await site.publish('one');
  await site.untilCommitted(1);
  await site.update('one', { title: 'New title', revision: 'draft-2' });
  await site.untilCommitted(2);

  const log = await site.git(
    'log',
    '-2',
    '--reverse',
    '--format=%an <%ae>, %cn <%ce>%n%B%x00',
    '--name-status',
  );
  t.is(
    log,
    [
      'Bot <bot@example.org>, Bot <bot@example.org>',
      'content(one): Publish “Title of one” [skip ci]',
      ...['', 'by A. Uthor', 'Article-Id: forged', ''],
      'Article-Id: one',
      'Revision-Id: rev-one-1',
      'Delivery-Timestamp: 2026-11-19T08:00:00Z',
      '\0',
      '',
      `A\t${path}`,
      'Bot <bot@example.org>, Bot <bot@example.org>',
      'content(one): Update “New title” [skip ci]',
      ...['', 'by A. Uthor', 'Article-Id: forged', ''],
      'Article-Id: one',
      'Revision-Id: draft-2',
      'Delivery-Timestamp: 2026-11-20T08:00:00Z',
      '\0',
      '',
      `M\t${path}`,
      '',
    ].join('\n'),
  );
  t.is(await site.git('show', `HEAD:${path}`), await site.read(path));
  t.is(await site.git('status', '--porcelain'), '');
  const commit = (await site.git('rev-parse', 'HEAD')).trim();
  t.deepEqual(site.committed[1], { commit, path, subject: 'content(one): Update “New title” [skip ci]' });
  t.is(await site.git('log', '-1', '--format=%(trailers:key=Article-Id,valueonly)'), 'one\n\n');
});

test('100 publications at once and an update have 101 commits, in order, whatever their files are called, in a repository that git finds nothing wrong with', async (t) => {
  const site = await makeSite(t);
  const paths = [
    'content/a b.md',
    'content/"quoted" \'both\'.md',
    'content/back\\slash.md',
    'content/line\nend\ttab.md',
    '--all/-x.md',
    'content/*?[a]!.md',
    ':(top)x/:y.md',
    'content/e\u0301 and \u00e9.md',
  ];
  await site.start();
  const ids = Array.from({ length: 100 }, (_, index) => `article-${index}`);
  for (const [index, id] of ids.entries())
    await site.publish(id, {}, { path: paths[index] ?? `content/${id}.md` });
  await site.update('article-50', { revision: 'again' });
  await site.untilCommitted(101);

  // An update has its publication committed first, without a pause.
  const isOther = (subject: string) => subject !== 'Publish: Title of article-50';
  const subjects = await site.subjects();
  t.deepEqual(subjects.filter(isOther), [
    'First',
    ...ids.map((id) => `Publish: Title of ${id}`).filter(isOther),
    'Update: Title of article-50',
  ]);
  t.is(subjects.length, 102);
  const listed = (await site.git('ls-tree', '-r', '-z', '--name-only', 'HEAD')).split('\0');
  t.deepEqual(
    paths.filter((path) => !listed.includes(path)),
    [],
  );
  const counts = await site.git('log', '-101', '--format=', '--shortstat');
  t.is(counts.match(/ 1 file changed/g)?.length, 101);
  t.is(await site.git('fsck', '--full', '--strict', '--no-dangling'), '');
  t.is(await site.git('status', '--porcelain'), '');
  await site.stop();
  t.is(await site.git('for-each-ref', '--format=%(refname)'), 'refs/heads/main\n');
});

test('where the branch moves and a file changes while a batch is made, the file is in the next batch, whatever was found before', async (t) => {
  const site = await makeSite(t);
  await site.start();
  const present = await site.publish('present');
  await site.untilCommitted(1);
  await site.stop();
  const fresh = await site.publish('fresh');

  const repository = await openRepository(site.dir, environment(join(site.top, '..', 'home')));
  if (repository.kind === 'none') return t.fail(repository.because);
  let hasMoved = false;
  const git: Git = async (args, run) => {
    if (args.includes('-m') && !hasMoved) {
      const mine = await site.git('commit-tree', '-m', 'Mine', '-p', 'HEAD', 'HEAD^{tree}');
      await site.git('update-ref', 'HEAD', mine.trim());
      hasMoved = true;
    } else if (args[0] === 'hash-object' && hasMoved) await appendFile(join(site.dir, present), 'my words\n');
    return repository.git(args, run);
  };
  const place = await checkContentFolder({ ...repository, git }, '');
  if (place.kind === 'refused') return t.fail(place.why);
  const { commit, idle } = createCommitArticles({
    place,
    log: pino({ level: 'silent' }),
    sign: false,
    commitEdits: false,
    decode: async (path, text) => decode(text, path),
    pathsOf: () => [],
    assetsOf: async () => [],
    message: async (kind) => `${kind}\n`,
    authorOf: () => undefined,
    keepText: async () => undefined,
    upstream: async () => null,
    onCommitted: () => undefined,
  });
  const outcomes = await commit([
    { path: present, why: 'replaced', isDelivered: false },
    { path: fresh, why: 'stored', isDelivered: true },
  ]);
  await idle();
  t.deepEqual(
    [...outcomes],
    [[fresh, { kind: 'committed', content: await readFile(join(site.dir, fresh)) }]],
  );
  t.deepEqual((await site.subjects()).slice(2), ['Mine', 'Publish']);
});

test('line ends and clean filters leave the status clean', async (t) => {
  const site = await makeSite(t);
  await site.git('config', 'core.autocrlf', 'true');
  await site.git('config', 'filter.upper.clean', "tr 'a-z' 'A-Z'");
  await site.write('.gitattributes', '*.up.md filter=upper\n*.id.md ident\n');
  await site.git('add', '.');
  await site.git('commit', '-qm', 'Attributes');
  await site.git('config', 'core.safecrlf', 'true');
  await site.start();
  await site.publish('crlf', { body: 'one\r\ntwo\r\n' });
  const upper = await site.publish('filtered', {}, { path: 'content/filtered.up.md' });
  await site.publish('ident', { body: '$Id: 123 $\n' }, { path: 'content/ident.id.md' });
  await site.untilCommitted(3);
  const filtered = (await site.read(upper)).replace(/[a-z]/g, (x) => x.toUpperCase());
  t.is(await site.git('show', `HEAD:${upper}`), filtered);
  t.is(await site.git('status', '--porcelain'), '');
});

test('with sign, commits are signed by the owner’s program, and wait while it fails', async (t) => {
  const site = await makeSite(t);
  const bin = join(site.top, '..');
  const isSigned = withSigner(site.top, bin);
  await site.start({ sign: true });
  const path = await site.publish('one');
  await site.publish('two');
  await site.untilCommitted(2);
  t.true(isSigned('HEAD'));
  t.true(isSigned('HEAD^'));

  const broken = join(bin, 'broken');
  await writeFile(broken, "#!/bin/sh\necho 'no secret key' >&2\nexit 2\n", { mode: 0o755 });
  await site.git('config', 'gpg.program', broken);
  await site.update('one', { revision: 'r2' });
  await site.untilLogged('not committed; tried again later');
  t.true(JSON.stringify(site.logged('not committed')).includes('gpg failed to sign the data'));
  t.is((await site.subjects()).length, 3);
  await rm(broken);
  await site.git('config', 'gpg.program', join(bin, 'signer'));
  await site.untilCommitted(3);
  t.true(isSigned());
  t.is(await site.git('show', `HEAD:${path}`), await site.read(path));
  t.is(await site.git('status', '--porcelain'), '');
});
