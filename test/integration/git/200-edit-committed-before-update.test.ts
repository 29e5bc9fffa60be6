import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { gitIn } from '../../support/clones.js';
import { ALL, type EditedArticle, sharedSite } from './edited-site.js';

const site = sharedSite(test, 'commit');
const { dir, git } = site;
const [PUBLISHED = '', , UPDATED = ''] = ALL;
type Kill = readonly [what: 'killed-before' | 'killed-after', command: string, times: number];

/** The articles whose update was sent again after a kill. */
const retried: EditedArticle[] = [];

/** Has an update killed at a git command, and sends it again. */
async function retryAfterKill(t: ExecutionContext, ...[what, command, times]: Kill): Promise<void> {
  const one = await site.publish();
  const { text, request } = await one.edit('my words\n');
  git.set(what, command, times);
  const killed = await site.receiver();
  await t.throwsAsync(killed.post('article.updated', request));
  await killed.kill('SIGCONT'); // waits for its end
  const again = await site.receiver();
  t.is((await again.post('article.updated', request)).status, 200);
  t.deepEqual(one.subjects(), ALL);
  t.is(one.at(1), text);
  t.is(one.status(), '');
  retried.push(one);
}

test.serial('200: an edit that an update replaces is committed before it, by itself and once', async (t) => {
  const one = await site.publish();
  const { post } = await site.receiver();
  const { text, request } = await one.edit('my words, “quoted”\r\nand no line end');
  t.is((await post('article.updated', request)).status, 200);
  t.deepEqual(one.subjects(), ALL);
  t.is(one.at(1), text);
  t.is(one.at(0), fs.readFileSync(one.file, 'utf8'));
  t.is(gitIn(dir, 'log', '-1', '--format=%(trailers:key=Delivery-Timestamp)', 'HEAD^').trim(), '');
  t.is((await post('article.updated', request)).status, 200, 'a retry');
  t.deepEqual(one.subjects(), ALL);
});

test.serial('200: an edit that is not UTF-8 is committed byte for byte', async (t) => {
  const one = await site.publish();
  const { request } = await one.edit(Buffer.from('caf\xe9 noir\n', 'latin1'));
  const bytes = fs.readFileSync(one.file);
  t.is((await (await site.receiver()).post('article.updated', request)).status, 200);
  t.deepEqual(one.subjects(), ALL);
  t.is(
    gitIn(dir, 'rev-parse', `HEAD^:${one.path}`),
    execFileSync('git', ['hash-object', '--stdin'], { input: bytes, encoding: 'utf8' }),
  );
});

test.serial('503: where an edit cannot be committed, it stays, and the update is not stored', async (t) => {
  const one = await site.publish();
  const { post } = await site.receiver();
  const { text, request } = await one.edit('my words\n');
  git.set('fail', 'update-index');
  t.is((await post('article.updated', request)).status, 503);
  t.is(fs.readFileSync(one.file, 'utf8'), text);
  git.clear();
  t.is((await post('article.updated', request)).status, 200);
  t.deepEqual(one.subjects(), ALL);
});

test.serial('an edit that its owner has committed or staged gets no commit of Pressmark', async (t) => {
  const [inHead, staged] = [await site.publish(), await site.publish()];
  const receiver = await site.receiver();

  const first = await inHead.edit('my words\n');
  gitIn(dir, 'commit', '--quiet', '-am', 'My own commit');
  t.is((await receiver.post('article.updated', first.request)).status, 200);
  const second = await staged.edit('my words\n');
  gitIn(dir, 'add', 'content');
  t.is((await receiver.post('article.updated', second.request)).status, 200);
  // a stop commits whatever edit the receiver still has in mind
  await receiver.stop();

  t.deepEqual(inHead.subjects(), [PUBLISHED, 'My own commit', UPDATED]);
  t.is(inHead.status(), '');
  t.deepEqual(staged.subjects(), [PUBLISHED, UPDATED]);
  t.is(gitIn(dir, 'diff', '--cached', '--name-only').trim(), staged.path);
  t.is(gitIn(dir, 'show', `:${staged.path}`), second.text);
  const kept = join(dir, '.pressmark', 'replaced', staged.path);
  const [name = '', ...more] = fs.readdirSync(kept);
  t.is(fs.readFileSync(join(kept, name), 'utf8'), second.text);
  t.deepEqual(more, []);
  t.false(fs.existsSync(join(dir, '.pressmark', 'replaced', inHead.path)));
  gitIn(dir, 'reset', '--quiet');
});

for (const [what, command, times] of [
  ['killed-before', 'refs/heads/main', 1],
  ['killed-after', 'refs/heads/main', 1],
  ['killed-before', 'refs/heads/main', 2],
] as const)
  test.serial(
    `200: after a receiver was ${what.replace('-', ' ')} git update-ref … ${command}, number ${times}, the retry leaves one Edit and one Update`,
    (t) => retryAfterKill(t, what, command, times),
  );

test.serial(
  '200: what a retry has left is committed no second time, neither in the background nor at the stop',
  async (t) => {
    if (retried.length === 0) await retryAfterKill(t, 'killed-after', 'refs/heads/main', 1);
    const receiver = await site.receiver();
    t.is(await receiver.stop(), 0);
    t.deepEqual(
      retried.map((one) => one.subjects()),
      retried.map(() => ALL),
    );
  },
);
