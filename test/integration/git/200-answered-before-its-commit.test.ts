import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn } from '../../support/clones.js';
import { until } from '../../support/until.js';
import { ALL, sharedSite } from './edited-site.js';

// At level disk an update is answered before its commit is made; all this happens in between.

const [PUBLISHED = ''] = ALL;
const site = sharedSite(test, 'disk');
const { dir, git } = site;

test.serial(
  '200: at level disk a publication and its update are answered while another program holds the index, and committed later',
  async (t) => {
    // its first commit makes the folder in which a Pressmark leaves its tokens
    await site.publish();
    const lock = join(dir, '.git', 'index.lock');
    // what a killed Pressmark would leave: whoever finds the index locked looks through that
    const left = join(dir, '.git', 'pressmark', 'token-dead');
    fs.writeFileSync(left, '');
    fs.writeFileSync(lock, 'another program');
    const receiver = await site.receiver();
    const one = await site.store();
    const request = await one.update(receiver);
    t.is((await receiver.post('article.updated', request)).status, 200);
    t.true(fs.readFileSync(one.file, 'utf8').includes(request.revision_id));
    await until('the receiver has found the index locked', () => !fs.existsSync(left));
    t.is(fs.readFileSync(lock, 'utf8'), 'another program');
    t.deepEqual(one.subjects(), []);

    fs.rmSync(lock);
    await until('both are committed', () => one.subjects().length === 2 && one.status() === '');
    const revision = '--format=%(trailers:key=Revision-Id,valueonly,separator=)';
    t.deepEqual(gitIn(dir, 'log', revision, 'main', '--', one.path).trim().split('\n'), [
      request.revision_id,
      request.base_revision_id,
    ]);
    await until(
      'no lock is left',
      () => !fs.readdirSync(join(dir, '.git')).some((name) => name.endsWith('.lock')),
    );
  },
);

test.serial(
  '200: what the owner commits after an update, while git fails, is not undone by the commits that come late',
  async (t) => {
    const one = await site.publish();
    const receiver = await site.receiver();
    const { request } = await one.edit('my words\n');
    // a second space, and nobody but git says which branch it is
    fs.writeFileSync(join(dir, '.git', 'HEAD'), 'ref:  refs/heads/main\n');
    git.set('fail', 'symbolic-ref');
    await site.store();
    await until('a commit has failed', () => receiver.log.some(({ msg }) => msg.startsWith('not committed')));
    t.is((await receiver.post('article.updated', request)).status, 200);
    fs.appendFileSync(one.file, 'more words\n');
    gitIn(dir, 'commit', '--quiet', '-m', 'Mine', '--', one.path);
    const mine = one.at(0);
    git.clear();
    await until('commits work again', () => receiver.log.some(({ msg }) => msg === 'commits work again'));
    t.is(await receiver.stop(), 0);
    t.deepEqual(one.subjects(), [PUBLISHED, 'Mine']);
    t.is(one.at(0), mine);
  },
);

// The index gets its entry before the branch moves: a receiver that is killed in between leaves it there.

test.serial(
  '200: what a killed receiver has put into the index is not taken for something that its owner has staged',
  async (t) => {
    const one = await site.publish();
    const receiver = await site.receiver();
    const request = await one.update(receiver);
    git.hold();
    git.set('killed-before', 'update-ref');
    t.is((await receiver.post('article.updated', request)).status, 200);
    git.release();
    await receiver.kill('SIGCONT'); // waits for its end
    t.is(one.status().slice(0, 1), 'M', 'the entry is in the index');
    // Not before: it might run the git command that is to be killed.
    const other = await site.another();
    const next = await one.update(other);
    t.is((await other.post('article.updated', next)).status, 200);
    // the text that the update has replaced may have a batch of its own before it
    await until('the index is what HEAD has', () => one.subjects().length >= 2 && one.status() === '');
    t.true(one.at(0).includes(next.revision_id));
    t.is(await other.stop(), 0);
  },
);

test.serial(
  '200: an edit made after a receiver was killed over the index entry of an update is committed',
  async (t) => {
    const one = await site.publish();
    const receiver = await site.receiver();
    const request = await one.update(receiver);
    git.hold();
    git.set('killed-before', 'update-ref');
    t.is((await receiver.post('article.updated', request)).status, 200);
    git.release();
    await receiver.kill('SIGCONT'); // waits for its end
    fs.appendFileSync(one.file, 'my words\n');
    const again = await site.receiver();
    await until('the edit is committed', () => one.subjects().length === 2);
    t.is(await again.stop(), 0);
    t.is(one.status(), '');
    t.is(one.at(0), fs.readFileSync(one.file, 'utf8'));
  },
);
