import { hash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { encode } from '../../../src/article/codec.js';
import { createSavedTexts } from '../../../src/git/pending/saved-texts.js';
import type { Waiting } from '../../../src/git/pending/waiting.js';
import type { GitPluginOptions } from '../../../src/git/plugin.js';
import { startCommitting } from './committing.js';
import { blank, makeSite, readStored, type Site } from './site.js';

// Another receiver on the same folder has stored updates, and has not come to their commits yet.

const UPDATE = encode({ ...blank('one'), title: 'Rewritten', revision: 'r2' });

const EDIT = (path: string): Waiting => ({
  path,
  kind: 'Edit',
  text: undefined,
  revision: undefined,
  message: undefined,
  before: null,
});

/** What git calls a text. */
const blobName = (text: string) => hash('sha1', `blob ${Buffer.byteLength(text)}\0${text}`);

async function publishedSite(t: ExecutionContext, readStored?: GitPluginOptions['readStored']) {
  const site = await makeSite(t);
  const host = await site.start({ commitEdits: true, ...(readStored && { readStored }) });
  const path = await site.publish('one');
  await site.untilCommitted(1);
  const tell = () =>
    host.hooks.doAction('article.edited', { path, id: 'one', url: 'https://example.org/x/' });
  return { site, path, host, tell };
}

async function keepAsAnother(site: Site, path: string): Promise<void> {
  const [root, log] = [join(site.top, '..'), pino({ level: 'silent' })];
  const before = (await site.git('rev-parse', 'HEAD')).trim();
  const bytes = await readFile(join(site.dir, path));
  await createSavedTexts(join(root, 'state'), join(root, 'staging'), log).keep({ path, before, bytes });
}

test('an edit is committed behind the texts that another receiver has kept of its file', async (t) => {
  const { site, path, tell } = await publishedSite(t);
  const published = await site.read(path);
  await appendFile(join(site.dir, path), 'words that another receiver’s update replaced\n');
  await keepAsAnother(site, path);
  await site.write(path, `${published}later words\n`);
  await tell();
  await site.untilCommitted(3);
  t.deepEqual((await site.subjects()).slice(2), ['Edit: Title of one', 'Edit: Title of one']);
  t.true((await site.git('show', `HEAD^:${path}`)).includes('another receiver’s update'));
  t.true((await site.git('show', `HEAD:${path}`)).endsWith('later words\n'));
});

test('an edit that is told of twice, with a text before it that another has kept, is committed once, as is that', async (t) => {
  const path = 'content/one.md';
  const { site, ownersCommit, take } = await startCommitting(t, path);
  await ownersCommit(encode(blank('one')), 'Publish: One');
  await site.write(path, `${encode(blank('one'))}words that were replaced\n`);
  await keepAsAnother(site, path);
  await site.write(path, `${encode(blank('one'))}my words\n`);
  const requests = await take(EDIT(path), EDIT(path));
  t.deepEqual(
    requests.map(({ content }) => typeof content === 'string' && content.split('\n').at(-2)),
    ['words that were replaced', 'my words', 'my words'],
  );
});

/** Keeps what a file holds when one update more replaces it. */
type Keep = (site: Site, path: string, own: () => Promise<Waiting>) => Promise<unknown>;

/**
 * Takes a batch that is tried again: an edit which the start-up check has found, then the same text as this process
 * has kept it. Two updates have come over it since; who has kept the first of them is `keepUpdate`'s to say.
 */
async function takeAgain(t: ExecutionContext, keepUpdate: Keep) {
  const path = 'content/one.md';
  const { site, ownersCommit, take, keep } = await startCommitting(t, path);
  await ownersCommit(encode(blank('one')), 'Publish: One');
  const edited = `${encode(blank('one'))}words that were replaced\n`;
  await site.write(path, edited);
  const edit = await keep();
  await site.write(path, UPDATE);
  await keepUpdate(site, path, keep);
  await site.write(path, encode({ ...blank('one'), revision: 'r3' }));
  const found = { ...EDIT(path), seen: [blobName(edited)] };
  const requests = await take(found, edit);
  return { edited, contents: requests.map(({ content }) => content) };
}

test('what this process has kept is committed in its own order, also where an earlier batch has to be tried again', async (t) => {
  const { edited, contents } = await takeAgain(t, (_site, _path, own) => own());
  t.deepEqual(contents, [edited]);
});

test('what another has kept of a file that holds something newer by now does not go before what this process has kept', async (t) => {
  const { edited, contents } = await takeAgain(t, keepAsAnother);
  t.deepEqual(contents, [edited]);
});

test('an edit does not bring along what this process has kept: that waits by itself', async (t) => {
  const path = 'content/one.md';
  const { site, ownersCommit, take, keep } = await startCommitting(t, path);
  await ownersCommit(encode(blank('one')), 'Publish: One');
  await site.write(path, `${encode(blank('one'))}words that were replaced\n`);
  await keep();
  const edited = `${encode(blank('one'))}my words\n`;
  await site.write(path, edited);
  t.deepEqual(
    (await take(EDIT(path))).map(({ content }) => content),
    [edited],
  );
});

test('an edit waits for the commit of the version that it was made from', async (t) => {
  const owner = new EventEmitter();
  let looks = 0;
  const { site, path, tell } = await publishedSite(t, async (wanted) => {
    looks++;
    // the second look at the edit: it was put off before
    if (looks === 2) await once(owner, 'committed');
    return readStored(site.dir, wanted);
  });
  await site.write(path, `${UPDATE}my words\n`);
  await tell();
  await site.until('the edit is looked at once more', () => looks === 2);
  t.is(site.committed.length, 1);
  await site.write(path, UPDATE);
  await site.git('commit', '-qam', 'Update: Rewritten');
  await appendFile(join(site.dir, path), 'my words\n');
  owner.emit('committed');
  await site.untilCommitted(2);
  t.deepEqual((await site.subjects()).slice(2), ['Update: Rewritten', 'Edit: Rewritten']);
});

test('an edit does not wait for ever for that commit: who was to make it may have been killed', async (t) => {
  const path = 'content/one.md';
  const { site, ownersCommit, take, waiting } = await startCommitting(t, path);
  await ownersCommit(encode(blank('one')), 'Publish: One');
  await site.write(path, `${UPDATE}my words\n`);
  const edit = EDIT(path);
  for (let n = 1; n <= 4; n++) {
    t.deepEqual(await take(edit), []);
    t.deepEqual(waiting, Array(n).fill(path));
  }
  t.is((await take(edit))[0]?.message.split('\n', 1)[0], 'Edit: Rewritten');
});

test('at a stop an edit does not wait for that commit', async (t) => {
  const { site, path, host, tell } = await publishedSite(t);
  await site.write(path, `${UPDATE}my words\n`);
  await tell();
  await host.close();
  t.deepEqual((await site.subjects()).slice(2), ['Edit: Rewritten']);
});
