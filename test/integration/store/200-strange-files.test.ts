import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { articleFiles, edit } from '../../support/content.js';
import { article, type PublishedData, update } from '../../support/events.js';
import { sharedFaults } from '../../support/faults.js';
import { launch, type Receiver } from '../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';

// Files that people put into the content folder: first before a running receiver, then at a start.
const dir = makeTempDir();
const faults = sharedFaults();
let receiver: Receiver;

test.serial.before(async () => {
  fs.mkdirSync(join(dir, 'content/articles/2026/11'), { recursive: true });
  fs.symlinkSync('articles/2026', join(dir, 'content/latest')); // gives no article a second place
  receiver = await launch(dir, faults.options);

  const { post, find } = receiver;
  const brokenAnswer = await post('article.published', broken);
  Object.assign(stored, {
    broken: brokenAnswer.text,
    brokenUrl: brokenAnswer.json.url,
    brokenRevision: (await find(brokenAnswer.json.url)).revision_id,
    soundUrl: (await post('article.published', sound)).json.url,
    hidden: (await post('article.published', hidden)).text,
  });
  edit(pathOf(broken), '\nslug:', '\nbroken: [1, 2\nslug:');
  fs.symlinkSync('circle.md', join(dir, 'content/articles/2026/11/circle.md'));
});
test.after.always(async () => {
  await receiver?.kill('SIGKILL');
  removeTempDir(dir);
});

/** Where an article is stored. */
const pathOf = ({ slug }: PublishedData) => join(dir, 'content/articles/2026/11', `${slug}.md`);

const [broken, sound, hidden] = [article(), article(), article({ slug: 'hidden' })];
const stored = { broken: '', brokenUrl: '', brokenRevision: '', soundUrl: '', hidden: '' };

/** A file that is written where a receiver runs the script in front matter. */
const proof = join(dir, 'evaluated');
const script = `require('fs').writeFileSync(${JSON.stringify(proof)}, 'x')`;

let isHiddenUnreadable = false;

/** Starts the receiver again, on a file that may not be read. */
async function restartWithHiddenUnreadable(t: ExecutionContext): Promise<void> {
  t.is(await receiver.stop(), 0);
  const path = pathOf(hidden);
  fs.utimesSync(path, new Date(), new Date()); // it must be read anew
  fs.chmodSync(path, 0); // the fault is for testers who may read everything
  faults.set({ call: 'open', path: 'hidden\\.md$', code: 'EACCES' });
  receiver = await launch(dir, faults.options);
  isHiddenUnreadable = true;
}

/** What a receiver says while one file is malformed. */
async function oneIsMalformed(t: ExecutionContext, { post, find }: Receiver): Promise<void> {
  const theirs = fs.readFileSync(pathOf(broken), 'utf8');
  t.is((await post('article.published', broken)).text, stored.broken, 'its id stays taken');
  const target = { target_id: broken.id, target_url: stored.brokenUrl };
  const lookup = await post('article.lookup', { target_url: target.target_url });
  t.is(lookup.status, 404);
  t.regex(lookup.json.error, /is malformed, line \d+: /);
  const request = update({ ...target, base_revision_id: stored.brokenRevision });
  t.is((await post('article.updated', request)).status, 404);
  t.is((await find(stored.soundUrl)).id, sound.id);
  t.is((await post('article.published', article())).status, 200);
  t.is(fs.readFileSync(pathOf(broken), 'utf8'), theirs);
}

test.serial('200: a malformed file concerns its article alone, whose id stays taken', async (t) => {
  await oneIsMalformed(t, receiver);
});

test.serial('404-lookup: front matter in another language is refused and never evaluated', async (t) => {
  const { post } = receiver;
  const data = article();
  const { json } = await post('article.published', data);
  const path = pathOf(data);
  const texts = ['js', 'coffee', ' js'].map(
    (language) => `---${language}\n{ "title": ${script} }\n---\nbody\n`,
  );
  texts.push(`---\ntitle: !!js/function "function () { ${script} }"\n---\nbody\n`);
  for (const text of texts) {
    fs.writeFileSync(path, text);
    t.is((await post('article.lookup', { target_url: json.url })).status, 404, text.slice(0, 20));
    t.is((await post('article.published', article())).status, 200);
  }
  t.false(fs.existsSync(proof));
});

test.serial(
  '200-published: a symbolic link that leads nowhere keeps its name, and the article gets another one',
  async (t) => {
    fs.symlinkSync('gone.md', join(dir, 'content/articles/2026/11/wasps.md'));
    const data = article({ slug: 'wasps' });
    const { status, json } = await receiver.post('article.published', data);
    t.is(status, 200);
    t.not(json.url, 'https://garden.example/articles/wasps/');
    t.is((await receiver.find(json.url)).id, data.id);
  },
);

test.serial('200-published: a redelivery finds a file that was put back a moment ago', async (t) => {
  const { post } = receiver;
  const data = article();
  const { text, json } = await post('article.published', data);
  const path = pathOf(data);
  const theirs = fs.readFileSync(path);
  fs.unlinkSync(path);
  t.is((await post('article.lookup', { target_url: json.url })).status, 404);

  // As a checkout of another branch and back does.
  fs.writeFileSync(path, theirs);
  const before = articleFiles(dir);
  t.is((await post('article.published', data)).text, text);
  t.deepEqual(articleFiles(dir), before, 'it is not stored twice');
});

test.serial(
  '200: a receiver starts on all of these, names in its log what it skips, and leaves other files alone',
  async (t) => {
    const others = {
      'notes.txt': 'x',
      'empty.md': '',
      'plain.md': '# No front matter\n',
      '.hidden.md': 'x',
      'a.md.bak': 'x',
      'script.md': `---js\n{ "title": ${script} }\n---\nbody\n`,
    };
    for (const [name, text] of Object.entries(others)) fs.writeFileSync(join(dir, 'content', name), text);
    fs.mkdirSync(join(dir, 'content', 'folder.md'));
    t.is((await receiver.post('article.published', article())).status, 200);
    await restartWithHiddenUnreadable(t);
    t.false(fs.existsSync(proof));
    for (const [name, text] of Object.entries(others))
      t.is(fs.readFileSync(join(dir, 'content', name), 'utf8'), text);
    const reasonOf = (file: string) =>
      String(
        receiver.log.find(({ path: logged }) => logged === file.slice(join(dir, 'content/').length))?.reason,
      );
    t.regex(reasonOf(pathOf(broken)), /^line \d+: /);
    t.is(reasonOf(pathOf(hidden)), 'EACCES: injected');
  },
);

test.serial(
  '500-published: an article whose file may not be read is not acknowledged and not stored twice',
  async (t) => {
    if (!isHiddenUnreadable) await restartWithHiddenUnreadable(t);
    const { post, find } = receiver;
    const before = articleFiles(dir);
    t.is((await post('article.published', hidden)).status, 500, 'nobody knows whether it is durable');
    t.is((await find(stored.soundUrl)).id, sound.id);
    t.is((await post('article.published', article({ slug: 'circle' }))).status, 200);
    fs.chmodSync(pathOf(hidden), 0o644);
    faults.clear();
    t.is((await post('article.published', hidden)).text, stored.hidden);
    const added = articleFiles(dir).filter((path) => !before.includes(path) && !path.includes('/latest/'));
    t.deepEqual(added, [pathOf(article({ slug: 'circle-2' }))]);
  },
);

test.serial('200-lookup: a malformed file is the same article again once it is corrected', async (t) => {
  await oneIsMalformed(t, receiver);
  edit(pathOf(broken), '\nbroken: [1, 2\n', '\n');
  t.is((await receiver.find(stored.brokenUrl)).revision_id, stored.brokenRevision);
});
