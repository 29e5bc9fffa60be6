import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import { gitIn, launchIn, makeRemote } from '../../support/clones.js';
import { fileOf, readStored } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { type Receiver, run, SITE_URL, startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const ENV = { PRESSMARK_SITE_URL: SITE_URL };

interface Row {
  revision: string | null;
  commit: string;
  date: string;
  author: { name: string; email: string };
  subject: string;
  current: boolean;
}

interface Log {
  id: string;
  url: string;
  file: string;
  revision: string;
  committed: boolean;
  revisions: Row[];
}

/** A site with an article that was updated once, both committed, and the receiver that did it. */
async function updatedSite(
  t: ExecutionContext,
  config: object = {},
  filesIn: (dir: string) => Record<string, string> = () => ({}),
) {
  const dir = tempDir(t);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Olga');
  git('config', 'user.email', 'olga@example.org');
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ site: false, ...config }));
  for (const [name, text] of Object.entries(filesIn(dir))) fs.writeFileSync(join(dir, name), text);
  const receiver = await startReceiver(t, { dir });
  const data = article({ id: 'bees', slug: 'bees', featured_image_url: null });
  const { json } = await receiver.post('article.published', data);
  const target = await receiver.find(json.url);
  const request = update(
    { target_id: 'bees', target_url: json.url, base_revision_id: target.revision_id },
    { id: 'draft-2', title: 'Rewritten', tags: ['new'] },
  );
  await receiver.post('article.updated', request);
  const untilCommits = (count: number) =>
    until(() => Number(execFileSync('git', ['rev-list', '--count', '--branches'], { cwd: dir })) === count);
  await untilCommits(2);
  return { dir, git, receiver, url: json.url, first: target.revision_id, untilCommits };
}

async function log(dir: string, name: string): Promise<Log> {
  const { code, stdout, stderr } = await run(['log', name, '--dir', dir, '--json'], ENV);
  if (code !== 0) throw new Error(`log: ${code} ${stderr}`);
  return JSON.parse(stdout) as Log;
}

test('log shows an article by its id, slug, URL and file; an edit that is not committed stands first', async (t) => {
  const { dir, git, receiver, url, first } = await updatedSite(t);
  const file = 'content/articles/2026/11/bees.md';
  const names = [
    'bees',
    url,
    `${url.replace(/\/$/, '')}#part`,
    file,
    join(dir, file),
    'articles/2026/11/bees.md',
  ];
  for (const name of names) t.is((await log(dir, name)).id, 'bees', name);
  const { revisions, ...shown } = await log(dir, 'bees');
  t.like(shown, { url, file, revision: 'draft-2', committed: true });
  t.deepEqual(
    revisions.map(({ revision, subject, current, author }) => [revision, subject, current, author.name]),
    [
      ['draft-2', 'Update: Rewritten', true, 'Olga'],
      [first, 'Publish: Keeping bees on a balcony', false, 'Olga'],
    ],
  );

  await receiver.stop();
  git('mv', file, 'content/moved.md');
  git('commit', '-qm', 'Move it');
  fs.appendFileSync(join(dir, 'content/moved.md'), 'my words\n');
  const { code, stdout } = await run(['log', 'moved', '--dir', dir], ENV);
  t.is(code, 0);
  const lines = stdout.trimEnd().split('\n');
  t.deepEqual(lines.slice(0, 4), ['Rewritten', url, 'content/moved.md', '']);
  t.regex(lines[4] ?? '', /^\* edit-[0-9a-f]{32} +not committed$/);
  t.regex(lines[5] ?? '', /^ {2}draft-2 +\S+Z +Olga +Move it$/);
  t.is(lines.length, 8);
});

test('log says what it does not find, and what is ambiguous', async (t) => {
  const { dir, receiver } = await updatedSite(t);
  const nothing = await run(['log', 'wasps', '--dir', dir], ENV);
  t.is(nothing.code, 1);
  t.is(
    nothing.stderr,
    'pressmark: there is no article "wasps"; name one by its id, its URL, its file or its slug\n',
  );
  await receiver.stop();
  fs.mkdirSync(join(dir, 'content/other'));
  fs.writeFileSync(join(dir, 'content/other/bees.md'), '---\nid: other\n---\nx\n');
  fs.renameSync(join(dir, 'content/articles/2026/11/bees.md'), join(dir, 'content/articles/bees.md'));
  t.is((await log(dir, 'bees')).file, 'content/articles/bees.md', 'an id goes before a slug');
  fs.writeFileSync(join(dir, 'content/bees.md'), '---\nid: bees\n---\nx\n');
  const several = await run(['log', 'bees', '--dir', dir], ENV);
  t.is(several.code, 1);
  t.regex(
    several.stderr,
    /"bees" is 2 articles: "bees" \(articles\/bees.md\), "bees" \(bees.md\)|"bees" is 2 articles: "bees" \(bees.md\), "bees" \(articles\/bees.md\)/,
  );
  const outside = tempDir(t);
  const bare = await run(['log', 'bees', '--dir', outside], ENV);
  t.deepEqual(
    [bare.code, bare.stderr],
    [2, 'pressmark: there is no history: the site is not in a git work tree\n'],
  );
});

test('revert puts an earlier version back while the receiver runs; updates of the other one are stale', async (t) => {
  const { dir, git, receiver, url, first } = await updatedSite(t);
  const { code, stdout, stderr } = await run(['revert', 'bees', first, '--dir', dir], ENV);
  t.is(code, 0, stderr);
  t.regex(
    stdout,
    /^content\/articles\/2026\/11\/bees\.md has the content of rev-\w+ \(\S+Z\) again\nit was at draft-2 and is at revert-\w{24} now, commit \w{10}\n$/,
  );
  const target = await receiver.find(url);
  t.regex(target.revision_id, /^revert-/);
  t.is(target.title, 'Keeping bees on a balcony');
  const { article: now, edited } = readStored(fileOf(dir, 'bees'));
  t.false(edited);
  t.like(now, { id: 'bees', url, image: null, tags: ['bees', 'city'], date: '2026-11-19T08:00:00Z' });
  t.is(git('log', '-1', '--format=%s'), 'Revert: Keeping bees on a balcony\n');
  t.is(git('log', '-1', '--format=%(trailers)'), `Article-Id: bees\nRevision-Id: ${target.revision_id}\n\n`);
  t.is(git('status', '--porcelain', '--', 'content'), '');
  t.is(git('rev-list', '--count', 'HEAD'), '3\n');

  const over = { target_id: 'bees', target_url: url };
  const stale = await receiver.post('article.updated', update({ ...over, base_revision_id: 'draft-2' }));
  t.is(stale.status, 409);
  const fresh = update({ ...over, base_revision_id: target.revision_id });
  t.is((await receiver.post('article.updated', fresh)).status, 200);
});

test('revert takes a commit’s name, and refuses what it must', async (t) => {
  const { dir, git, receiver, first } = await updatedSite(t);
  const file = fileOf(dir, 'bees');
  const refusal = async (...args: string[]) => {
    const before = fs.readFileSync(file, 'utf8');
    const { code, stderr } = await run(['revert', ...args, '--dir', dir], ENV);
    t.is(fs.readFileSync(file, 'utf8'), before);
    return [code, stderr.replace('pressmark: ', '').trim()];
  };
  t.deepEqual(await refusal('bees', 'draft-2'), [2, 'the article is at revision "draft-2" already']);
  t.deepEqual(await refusal('bees', 'nonsense'), [
    2,
    'content/articles/2026/11/bees.md has no revision "nonsense"; pressmark log shows those it has',
  ]);
  await edit(receiver, file);
  t.deepEqual(await refusal('bees', first), [
    2,
    'content/articles/2026/11/bees.md holds an edit that no commit has; commit it first, or add --force to lose it',
  ]);

  git('commit', '-qam', 'My words');
  const [edited = '', , published = ''] = git('log', '--format=%H').split('\n');
  const back = await run(['revert', 'bees', published.slice(0, 12), '--dir', dir, '--json'], ENV);
  t.is(back.code, 0, back.stderr);
  t.like(JSON.parse(back.stdout), {
    id: 'bees',
    title: 'Keeping bees on a balcony',
    to: { revision: first },
  });
  t.is(git('rev-parse', 'HEAD').trim(), JSON.parse(back.stdout).commit);

  // a person's words are a version like any other
  t.is((await run(['revert', 'bees', edited.slice(0, 12), '--dir', dir], ENV)).code, 0);
  const { article: now } = readStored(file);
  t.true(now.body.endsWith('my words\n') && now.contentHtml.includes('my words'));
});

test('revert with --force loses an edit, and with commitEdits commits it first', async (t) => {
  const forced = await updatedSite(t);
  await edit(forced.receiver, fileOf(forced.dir, 'bees'));
  t.is((await run(['revert', 'bees', forced.first, '--force', '--dir', forced.dir], ENV)).code, 0);
  t.false(fs.readFileSync(fileOf(forced.dir, 'bees'), 'utf8').includes('my words'));

  const committing = await updatedSite(t, { git: { commitEdits: true } });
  await edit(committing.receiver, fileOf(committing.dir, 'bees'));
  const { code, stderr } = await run(['revert', 'bees', committing.first, '--dir', committing.dir], ENV);
  t.is(code, 0, stderr);
  await committing.untilCommits(4);
  t.is(
    committing.git('log', '--format=%s'),
    'Revert: Keeping bees on a balcony\nEdit: Rewritten\nUpdate: Rewritten\nPublish: Keeping bees on a balcony\n',
  );
  t.is(committing.git('status', '--porcelain', '--', 'content'), '');
});

test('revert while HEAD is detached: the file at once, the commit when there is a branch again', async (t) => {
  const { dir, git, receiver, url, first, untilCommits } = await updatedSite(t);
  // the branch has the commit a moment before the index is free again
  await until(() => !fs.existsSync(join(dir, '.git', 'index.lock')));
  git('checkout', '-q', '--detach');
  const { code, stdout } = await run(['revert', 'bees', first, '--dir', dir], ENV);
  t.is(code, 0);
  t.true(stdout.includes('not committed yet; pressmark doctor says why'));
  t.regex((await receiver.find(url)).revision_id, /^revert-/);
  const { stdout: findings } = await run(['doctor', '--dir', dir], ENV);
  t.regex(findings, /! git: 1 commit is parked.*HEAD to be on a branch again/);
  git('checkout', '-q', 'main');
  await receiver.post('article.published', article({ id: 'wasps' }));
  await untilCommits(4);
  t.is(git('log', '-2', '--format=%s', '--reverse').split('\n')[0], 'Revert: Keeping bees on a balcony');
});

test('revert says so in its commit, also where the commit is made before the answer', async (t) => {
  const { dir, git, first } = await updatedSite(t, { durability: 'commit' });
  const { code, stderr } = await run(['revert', 'bees', first, '--dir', dir], ENV);
  t.is(code, 0, stderr);
  t.is(git('log', '-1', '--format=%s'), 'Revert: Keeping bees on a balcony\n');
  t.notRegex(git('log', '-1', '--format=%(trailers)'), /Delivery-Timestamp/);
});

test('revert says so in its commit, also where the commit goes to the remote first', async (t) => {
  const clones = makeRemote(tempDir(t));
  const dir = clones.clone('a');
  const receiver = await launchIn(dir);
  t.teardown(() => receiver.kill('SIGKILL'));
  const { url } = (await receiver.post('article.published', article({ id: 'bees' }))).json;
  const { revision_id: first } = await receiver.find(url);
  const target = { target_id: 'bees', target_url: url, base_revision_id: first };
  t.is((await receiver.post('article.updated', update(target))).status, 200);
  await until(() => gitIn(dir, 'rev-parse', 'HEAD') === clones.git('rev-parse', 'main'));
  const { code, stdout, stderr } = await run(['revert', 'bees', first, '--dir', dir, '--json'], {
    ...ENV,
    HOME: dir,
  });
  t.is(code, 0, stderr);
  t.is(
    clones.git('log', '-1', '--format=%H %s'),
    `${JSON.parse(stdout).commit} Revert: Keeping bees on a balcony\n`,
  );
  t.is((await receiver.find(url)).revision_id, JSON.parse(stdout).revision);
});

test('the site’s plugins word the commit of a revert, and broken ones do not keep it', async (t) => {
  const { dir, git, receiver, first } = await updatedSite(
    t,
    { plugins: ['./worded.mjs', './missing.mjs'] },
    (site) => {
      const plugin = (name: string, setup: string) =>
        `export default { name: '${name}', setup(host) { ${setup} } };\n`;
      fs.mkdirSync(join(site, 'plugins'));
      const worded =
        "host.addFilter('git.message', (text, { article, event }) => ['content:', text, event, article.id].join(' '));";
      const told = `host.addAction('git.committed', ({ subject }) => fs.writeFileSync('${site}/told', subject));
      host.addAction('article.updated', () => fs.writeFileSync('${site}/updated', ''));
      setInterval(() => undefined, 1000);`;
      return {
        'worded.mjs': plugin('worded', worded),
        'missing.mjs': plugin('missing', ''),
        'plugins/a-told.mjs': `import fs from 'node:fs';\n${plugin('told', told)}`,
        'plugins/b-later.mjs': plugin('later', ''),
      };
    },
  );
  await receiver.stop();
  fs.rmSync(join(dir, 'updated'));
  fs.unlinkSync(join(dir, 'missing.mjs'));
  fs.writeFileSync(
    join(dir, 'plugins/b-later.mjs'),
    "export default { name: 'later', setup() { throw new Error('sick'); } };",
  );
  fs.writeFileSync(join(dir, 'plugins/c-throws.mjs'), "throw new Error('no module');");
  fs.writeFileSync(join(dir, 'plugins/d-none.mjs'), 'export default 7;');
  fs.writeFileSync(
    join(dir, 'plugins/e-git.mjs'),
    "export default { name: 'git', setup() { Promise.reject(new Error('stray')); } };",
  );
  fs.writeFileSync(
    join(dir, 'plugins/f-filter.mjs'),
    "export default { name: 'f', requires: ['site'], setup(host) { Promise.reject(new Error('stray')); host.addFilter('git.message', (text) => text.toUpperCase()); } };",
  );
  const { code, stdout, stderr } = await run(['revert', 'bees', first, '--dir', dir], ENV);
  t.is(code, 0, stderr);
  t.regex(stdout, /^content.*\n.*\n$/);
  t.is(git('log', '-1', '--format=%s'), 'CONTENT: REVERT: KEEPING BEES ON A BALCONY ARTICLE.UPDATED BEES\n');
  for (const reason of [
    /missing\.mjs/,
    /later .*sick/,
    /no module/,
    /d-none\.mjs is no plugin/,
    /two plugins are named/,
  ])
    t.regex(stderr, reason);
  t.is(fs.readFileSync(join(dir, 'told'), 'utf8'), git('log', '-1', '--format=%s').trim());
  t.false(fs.existsSync(join(dir, 'updated')), 'what the receiver tells is not told twice');
});

async function edit(receiver: Receiver, file: string): Promise<void> {
  fs.appendFileSync(file, 'my words\n');
  const { url } = readStored(file).article;
  await until(async () => (await receiver.find(url)).revision_id.startsWith('edit-'));
}
