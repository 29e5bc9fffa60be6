import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { until } from '../../support/until.js';
import { sharedSite } from './edited-site.js';

// At level disk an update is answered before its commit is made; all this happens in between.

const site = sharedSite(test, 'disk');
const { dir, git } = site;

test.serial(
  '200: at level disk a publication and its update are answered while another program holds the index',
  async (t) => {
    const lock = join(dir, '.git', 'index.lock');
    const receiver = await site.receiver();
    fs.writeFileSync(lock, 'another program');
    const one = await site.store();
    const text = fs.readFileSync(one.file, 'utf8');
    const request = await one.update(receiver);
    t.is((await receiver.post('article.updated', request)).status, 200);
    t.true(fs.readFileSync(one.file, 'utf8').includes(request.revision_id));
    t.is(fs.readFileSync(lock, 'utf8'), 'another program');
    t.deepEqual(one.subjects(), []);
    // the publication had no commit yet
    const kept = join(dir, '.pressmark', 'replaced', one.path);
    t.deepEqual(
      fs.readdirSync(kept).map((name) => fs.readFileSync(join(kept, name), 'utf8')),
      [text],
    );

    fs.rmSync(lock);
    // a batch that had begun before the update may have committed the publication, too
    await until('the article is committed', () => one.subjects().length > 0 && one.status() === '');
    t.is(one.at(0), fs.readFileSync(one.file, 'utf8'));
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
    git.set('killed-before', 'refs/heads/main');
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
