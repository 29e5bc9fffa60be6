import '../../support/recorded-syncs.js';

import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { committedIds, gitIn, inClone, makeRepository } from '../../support/clones.js';
import { articleFiles } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { SITE_URL } from '../../support/receiver.js';
import { type ReceiverHere, startHere } from '../../support/receiver-here.js';
import { recorder } from '../../support/recorded-syncs.js';
import { storeOnly } from '../../support/store-only.js';
import { makeTempDir, removeTempDir, tempDir } from '../../support/temp-dir.js';
import { gitThatFails } from './failing-git.js';

const CONFIG = { site: false, durability: 'commit' };

// One receiver for all serial tests.
const disposers: (() => unknown)[] = [];
const lasting = { teardown: (dispose: () => unknown) => disposers.push(dispose) };
const dir = makeRepository(makeTempDir(), CONFIG);
const git = gitThatFails(lasting);
let receiver: ReceiverHere;
test.serial.before(async () => {
  receiver = await startHere(lasting, inClone(dir, { env: git.env }));
});
test.after.always(async () => {
  for (const dispose of disposers.reverse()) await dispose();
  removeTempDir(dir);
});

test.serial('200: every delivery that is answered has its commit in HEAD', async (t) => {
  const { post } = receiver;
  const all = Array.from({ length: 12 }, () => article());
  const answers = await Promise.all(
    all.map(async (data) => {
      const { status, json } = await post('article.published', data);
      return { status, json, isThere: committedIds(dir).includes(data.id) };
    }),
  );
  for (const { status, isThere } of answers) t.deepEqual([status, isThere], [200, true]);
  t.deepEqual(committedIds(dir).sort(), all.map(({ id }) => id).sort(), 'one commit each');
  t.true(gitIn(dir, 'reflog', 'main').trim().split('\n').length < all.length, 'several in one ref update');

  const { url, id } = answers[0]?.json ?? { url: '', id: '' };
  const { revision_id: base_revision_id } = (await post('article.lookup', { target_url: url })).json.target;
  // The service names its revisions as it likes, also as those of a person's edits begin.
  const revision = { id: 'edit-1', revision_id: 'edit-1' };
  const change = update({ target_id: id, target_url: url, base_revision_id }, revision);
  t.is((await post('article.updated', change)).status, 200);
  t.regex(gitIn(dir, 'log', '-1', '--format=%s%n%b'), /^Update: .*Revision-Id: edit-1/s);
  t.is(gitIn(dir, 'status', '--porcelain', 'content'), '');
});

test.serial(
  '503: an article that cannot be committed, and an update, stays, and is acknowledged with its commit when it is sent again',
  async (t) => {
    const { post, origin } = receiver;
    t.is((await post('article.published', article())).status, 200);
    const [files, commits] = [articleFiles(dir).length, committedIds(dir).length];
    git.fail('update-index');
    const data = article();
    const refused = await post('article.published', data);
    t.is(refused.status, 503);
    t.regex(
      refused.json.error,
      /is stored, but has no commit yet: git update-index ended with exit code 128; send it again/,
    );
    t.deepEqual([articleFiles(dir).length, committedIds(dir).length], [files + 1, commits]);
    t.is((await fetch(`${origin}/healthz`)).status, 200);
    git.clear();
    t.is((await post('article.published', data)).status, 200);
    t.deepEqual(
      [articleFiles(dir).length, committedIds(dir).length],
      [files + 1, commits + 1],
      'stored once',
    );
    t.is(committedIds(dir)[0], data.id);

    const { id, url } = (await post('article.published', data)).json;
    const { revision_id: base_revision_id } = await receiver.find(url);
    const change = update({ target_id: id, target_url: url, base_revision_id });
    git.fail('update-index');
    t.is((await post('article.updated', change)).status, 503);
    t.is((await receiver.find(url)).revision_id, change.revision_id);
    t.is(committedIds(dir).length, commits + 1);
    git.clear();
    t.is((await post('article.updated', change)).status, 200);
    t.is(committedIds(dir).length, commits + 2);
  },
);

test.serial(
  '503: a commit that may not be on the disk stays, and is acknowledged when its folders could be synced',
  async (t) => {
    t.is((await receiver.post('article.published', article())).status, 200);
    const [files, commits] = [articleFiles(dir).length, committedIds(dir).length];
    // The folder is synced before the branch moves, too; it fails after that.
    const branch = join(dir, '.git/refs/heads/main');
    const before = fs.readFileSync(branch, 'utf8');
    const fine = recorder.observe;
    t.teardown(() => Object.assign(recorder, { observe: fine }));
    recorder.observe = (path) => {
      if (path !== dirname(branch) || fs.readFileSync(branch, 'utf8') === before) return '';
      recorder.observe = fine;
      throw Object.assign(new Error('EIO, injected'), { code: 'EIO' });
    };
    const data = article();
    t.is((await receiver.post('article.published', data)).status, 503);
    t.is(committedIds(dir)[0], data.id);
    t.is(articleFiles(dir).length, files + 1, 'what the history has is not taken back');
    const { status, json } = await receiver.post('article.published', data);
    t.deepEqual([status, json.id], [200, data.id]);
    t.is(committedIds(dir).length, commits + 1, 'no second commit');
    t.is(gitIn(dir, 'status', '--porcelain', 'content'), '');
    t.is(recorder.observe, fine, 'that sync has failed');
  },
);

test('200: what another level had stored on the disk alone is committed before it is acknowledged', async (t) => {
  const own = makeRepository(tempDir(t), CONFIG);
  const first = await startHere(t, inClone(storeOnly(own)));
  const data = article();
  const { text } = await first.post('article.published', data);
  await first.close();
  t.deepEqual(committedIds(own), []);
  gitIn(own, 'restore', 'pressmark.config.json');
  const second = await startHere(t, inClone(own));
  const recovered = second.log.find(({ msg }) => msg === 'recovered');
  t.like(recovered, { fromSnapshot: 1, files: 1, read: 0 }, 'a restart reads no file again');
  t.is((await second.post('article.published', data)).text, text);
  t.deepEqual(committedIds(own), [data.id]);
});

test('a start with durability commit and an ignored content folder is refused and says why', async (t) => {
  const own = makeRepository(tempDir(t), CONFIG);
  fs.appendFileSync(join(own, '.gitignore'), 'content/\n');
  const { code, stderr, stdout } = await runHere(['start', '--dir', own, '--port', '0'], {
    PRESSMARK_SECRET: 'a-secret-that-nobody-guesses-1234',
    PRESSMARK_SITE_URL: SITE_URL,
  });
  t.is(code, 2);
  t.regex(`${stdout}${stderr}`, /ignored by git/);
});
