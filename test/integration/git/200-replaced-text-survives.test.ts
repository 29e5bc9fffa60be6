import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { gitIn } from '../../support/clones.js';
import { ALL, siteWithArticle } from '../../support/edited-site.js';
import { createFaults } from '../../support/faults.js';
import { run, SITE_URL } from '../../support/receiver.js';
import { until } from '../../support/until.js';

// At level disk an update is answered when its file is durable; the edit that it has replaced is in no file of the
// content folder any more, and in no commit yet.

type Site = Awaited<ReturnType<typeof siteWithArticle>>;

async function publishedSite(t: ExecutionContext, ...options: [Parameters<typeof siteWithArticle>[2]?]) {
  const site = await siteWithArticle(t, 'disk', ...options);
  await until(() => site.subjects().length === 1);
  return site;
}

function kept(dir: string): string[] {
  const folder = join(dir, '.pressmark', 'replaced');
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
}

/** Nothing is lost, doubled or left over. */
async function assertCommitted(t: ExecutionContext, { dir, file, path, subjects }: Site, text: string) {
  await until(() => kept(dir).length === 0 && subjects().length >= ALL.length);
  t.deepEqual(subjects(), ALL);
  t.is(gitIn(dir, 'show', `HEAD^:${path}`), text);
  t.is(gitIn(dir, 'show', `HEAD:${path}`), fs.readFileSync(file, 'utf8'));
  t.is(gitIn(dir, 'status', '--porcelain', 'content'), '');
  t.false(fs.existsSync(join(dir, '.pressmark', 'left-edits')));
}

test('200: an edit that an update replaces has a commit of its own before it, and is kept no longer', async (t) => {
  const site = await publishedSite(t);
  const { text, request } = await site.edit(site.receiver, 'my words, “quoted”\r\nand no line end');
  t.is((await site.receiver.post('article.updated', request)).status, 200);
  await assertCommitted(t, site, text);
});

for (const [what, command, times] of [
  ['killed-before', 'fast-import', 1],
  ['killed-after', 'fast-import', 1],
  ['killed-before', 'update-index', 1],
  ['killed-before', 'update-ref', 1],
  ['killed-after', 'update-ref', 1],
] as const)
  test(`200: ${what.replace('-', ' ')} git ${command}: the next start commits the replaced edit and the update`, async (t) => {
    const site = await publishedSite(t);
    const { text, request } = await site.edit(site.receiver, 'my words\n');
    site.git.set(what, command, times);
    t.is((await site.receiver.post('article.updated', request)).status, 200);
    await site.receiver.kill('SIGCONT'); // waits for its end
    t.is(kept(site.dir).length, 1);
    await site.start();
    await assertCommitted(t, site, text);
  });

for (const [call, path, when] of [
  ['rename', '/replaced/[0-9a-f-]+$', 'before'],
  ['rename', '/replaced/[0-9a-f-]+$', 'after'],
  ['rename', '\\.md$', 'before'],
  ['rename', '\\.md$', 'after'],
] as const)
  test(`200: killed just ${when} the ${call} of ${path}: the edit stays, and the update is sent again`, async (t) => {
    const faults = createFaults(t);
    const site = await publishedSite(t, { ...faults.options, storeOnly: false });
    const { text, request } = await site.edit(site.receiver, 'my words\n');
    faults.set({ call, path, when, stop: true, times: 1 });
    const unanswered = t.throwsAsync(site.receiver.post('article.updated', request));
    // what was called is written down before it happens
    await until(() =>
      faults.trace().some((one) => one.call === call && new RegExp(path).test(one.paths.join('\n'))),
    );
    await setTimeout(100);
    await site.receiver.kill('SIGKILL');
    await unanswered;
    faults.clear();
    const again = await site.start();
    t.is((await again.post('article.updated', request)).status, 200);
    await assertCommitted(t, site, text);
  });

test('200: alone in its batch and killed between the index and the branch: the edit is Pressmark’s to commit', async (t) => {
  const site = await publishedSite(t);
  const { text, request } = await site.edit(site.receiver, 'my words\n');
  site.git.set('fail', 'fast-import');
  t.is((await site.receiver.post('article.updated', request)).status, 200);
  // a batch that has failed is taken apart
  await until(() => site.receiver.log.some(({ msg }) => msg.startsWith('not committed')));
  site.git.set('killed-before', 'update-ref');
  await site.receiver.kill('SIGCONT');
  await site.start();
  await assertCommitted(t, site, text);
});

test('200: an update that is refused after all takes back what was kept for it', async (t) => {
  const faults = createFaults(t);
  const site = await publishedSite(t, { ...faults.options, storeOnly: false });
  const { request } = await site.edit(site.receiver, 'my words\n');
  faults.set({ call: 'rename', path: '\\.md$', code: 'ENOSPC', times: 1 });
  t.is((await site.receiver.post('article.updated', request)).status, 500);
  await until(() => kept(site.dir).length === 0);
  await site.receiver.stop();
  t.deepEqual(site.subjects(), ALL.slice(0, 2));
});

test('200: an edited article is updated also where .pressmark was removed', async (t) => {
  const site = await publishedSite(t);
  const { text, request } = await site.edit(site.receiver, 'my words\n');
  fs.rmSync(join(site.dir, '.pressmark', 'staging'), { recursive: true });
  t.is((await site.receiver.post('article.updated', request)).status, 200);
  await assertCommitted(t, site, text);
});

test('200: an edit that is no UTF-8 survives a kill byte for byte', async (t) => {
  const site = await publishedSite(t);
  fs.appendFileSync(site.file, Buffer.from('caf\xe9 ', 'latin1'));
  const { request } = await site.edit(site.receiver, 'noir\n');
  const bytes = fs.readFileSync(site.file);
  site.git.set('killed-before', 'fast-import');
  t.is((await site.receiver.post('article.updated', request)).status, 200);
  await site.receiver.kill('SIGCONT');
  await site.start();
  await until(() => site.subjects().length === 3);
  t.deepEqual(site.subjects(), ALL);
  const blob = gitIn(site.dir, 'rev-parse', `HEAD^:${site.path}`).trim();
  fs.writeFileSync(join(site.dir, '.git', 'expected'), bytes);
  t.is(gitIn(site.dir, 'hash-object', '--no-filters', '.git/expected').trim(), blob);
});

test('200: where the owner has committed the update meanwhile, the edit is left to them as a file, and doctor names it', async (t) => {
  const site = await publishedSite(t);
  const { text, request } = await site.edit(site.receiver, 'my words\n');
  site.git.set('killed-before', 'fast-import');
  t.is((await site.receiver.post('article.updated', request)).status, 200);
  await site.receiver.kill('SIGCONT');
  gitIn(site.dir, 'commit', '--quiet', '-am', 'My own commit');
  const again = await site.start();
  await until(() => kept(site.dir).length === 0);
  t.deepEqual(site.subjects(), [ALL[0] ?? '', 'My own commit']);
  const [left = ''] = fs.readdirSync(join(site.dir, '.pressmark', 'left-edits'));
  t.is(fs.readFileSync(join(site.dir, '.pressmark', 'left-edits', left), 'utf8'), text);
  const doctor = await run(['doctor', '--dir', site.dir], { PRESSMARK_SITE_URL: SITE_URL, HOME: site.dir });
  t.true(doctor.stdout.includes(`.pressmark/left-edits/${left}`), doctor.stdout);
  await until(() =>
    again.log.some(({ msg, file }) => msg.includes('has no commit') && file === `left-edits/${left}`),
  );
});
