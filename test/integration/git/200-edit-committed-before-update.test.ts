import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn } from '../../support/clones.js';
import { ALL, sharedSite } from './edited-site.js';

const site = sharedSite(test, 'commit');
const { dir, git } = site;
const [PUBLISHED = '', , UPDATED = ''] = ALL;

test.serial('200: an edit that an update replaces is committed before it, by itself and once', async (t) => {
  const one = await site.publish();
  const { post } = site.receiver();
  // not UTF-8, and without a line end
  const { request } = await one.edit(Buffer.from('caf\xe9\r\nnoir', 'latin1'));
  const bytes = fs.readFileSync(one.file);
  t.is((await post('article.updated', request)).status, 200);
  t.deepEqual(one.subjects(), ALL);
  t.is(
    gitIn(dir, 'rev-parse', `HEAD^:${one.path}`),
    execFileSync('git', ['hash-object', '--stdin'], { input: bytes, encoding: 'utf8' }),
    'byte for byte',
  );
  t.is(one.at(0), fs.readFileSync(one.file, 'utf8'));
  t.is(gitIn(dir, 'log', '-1', '--format=%(trailers:key=Delivery-Timestamp)', 'HEAD^').trim(), '');
  t.is((await post('article.updated', request)).status, 200, 'a retry');
  t.deepEqual(one.subjects(), ALL);
});

test.serial('503: where an edit cannot be committed, it stays, and the update is not stored', async (t) => {
  const one = await site.publish();
  const { post } = site.receiver();
  const { text, request } = await one.edit('my words\n');
  git.fail('update-index');
  t.is((await post('article.updated', request)).status, 503);
  t.is(fs.readFileSync(one.file, 'utf8'), text);
  git.clear();
  t.is((await post('article.updated', request)).status, 200);
  t.deepEqual(one.subjects(), ALL);
});

test.serial('an edit that its owner has committed or staged gets no commit of Pressmark', async (t) => {
  const [inHead, staged] = [await site.publish(), await site.publish()];
  const receiver = site.receiver();

  const first = await inHead.edit('my words\n');
  gitIn(dir, 'commit', '--quiet', '-am', 'My own commit');
  t.is((await receiver.post('article.updated', first.request)).status, 200);
  const second = await staged.edit('my words\n');
  gitIn(dir, 'add', 'content');
  t.is((await receiver.post('article.updated', second.request)).status, 200);
  // a stop commits whatever edit the receiver still has in mind
  await receiver.close();

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
