import fs from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { edit, fileOf } from '../../support/content.js';
import { article, type UpdatedData, update } from '../../support/events.js';
import { type Receiver, STORE_ONLY, sharedReceiver, startReceiver } from '../../support/receiver.js';

const EDITS: Record<string, (path: string) => void> = {
  'the body': (path) => edit(path, 'Out of the wind.\n\n<!--', 'Out of the wind, always.\n\n<!--'),
  'one letter of the body': (path) => fs.appendFileSync(path, '.'),
  'the title': (path) => edit(path, 'Keeping bees', 'Housing bees'),
  'the description': (path) => edit(path, 'What a hive needs', 'All a hive needs'),
  'the tags': (path) => edit(path, '"city"', '"town"'),
  'the image': (path) => edit(path, 'hive.jpg', 'hive.png'),
  'the author': (path) => edit(path, 'Marta Oak', 'M. Oak'),
  json_ld: (path) => edit(path, '"@type":"Article"', '"@type":"BlogPosting"'),
  content_html: (path) => edit(path, '<p>Out of the wind.</p>', '<p>Into the sun.</p>'),
  'a key of their own': (path) => edit(path, '\nslug:', '\ndraft: true\nslug:'),
  'a comment': (path) => edit(path, '\nslug:', '\n# hm\nslug:'),
  'a byte order mark': (path) => fs.writeFileSync(path, `\ufeff${fs.readFileSync(path, 'utf8')}`),
  'line ends, and a word': (path) => {
    edit(path, 'Keeping', 'Housing');
    fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replaceAll('\n', '\r\n'));
  },
  'the style of a value': (path) => edit(path, 'author: "Marta Oak"', 'author: Marta Oak'),
  'the digest': (path) => edit(path, 'digest: "sha256-', 'digest: "sha256-0'),
  'a file saved by rename': (path) => {
    fs.writeFileSync(`${path}.swp`, fs.readFileSync(path, 'utf8').replace('Keeping', 'Housing'));
    fs.renameSync(`${path}.swp`, path);
  },
};

const shared = sharedReceiver(test, STORE_ONLY);

/** An article, and an update that would be right if nobody touched the article any more. */
async function prepare({ dir, post, find }: Receiver) {
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const { revision_id: base_revision_id } = await find(url);
  const request = update({ target_id: data.id, target_url: url, base_revision_id });
  return { path: fileOf(dir, data.id), request };
}

async function mustConflict(t: ExecutionContext, receiver: Receiver, path: string, request: UpdatedData) {
  const theirs = fs.readFileSync(path, 'utf8');
  const { status, json } = await receiver.post('article.updated', request);
  t.is(status, 409);
  t.regex(json.error, /^Article revision conflict/);
  t.is(fs.readFileSync(path, 'utf8'), theirs, 'what the person wrote is untouched');
  t.not((await receiver.find(request.target_url)).revision_id, request.base_revision_id);
}

for (const [what, make] of Object.entries(EDITS)) {
  test(`an edit of ${what} makes an update stale, at once`, async (t) => {
    const { path, request } = await prepare(shared());
    make(path);
    await mustConflict(t, shared(), path, request);

    // Based on that very edit, the update goes through.
    const { revision_id: base_revision_id } = await shared().find(request.target_url);
    t.is((await shared().post('article.updated', { ...request, base_revision_id })).status, 200);
  });
}

test('so do edits that are made while no receiver runs', async (t) => {
  const receiver = await startReceiver(t, STORE_ONLY);
  const { dir } = receiver;
  const prepared = [];
  for (const make of Object.values(EDITS)) prepared.push({ make, ...(await prepare(receiver)) });
  t.is(await receiver.stop(), 0);
  for (const { make, path } of prepared) make(path);
  const restarted = await startReceiver(t, { dir });
  for (const { path, request } of prepared) await mustConflict(t, restarted, path, request);
});

test('an edit that is taken back is none', async (t) => {
  const { path, request } = await prepare(shared());
  edit(path, 'Keeping bees', 'Housing bees');
  await shared().find(request.target_url);
  edit(path, 'Housing bees', 'Keeping bees');
  t.is((await shared().post('article.updated', request)).status, 200);
});

test('a checkout with CRLF line ends is none', async (t) => {
  const { path, request } = await prepare(shared());
  fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replaceAll('\n', '\r\n'));
  t.is((await shared().post('article.updated', request)).status, 200);
});

test('a retry that comes after an edit of what it stored does not take the edit back', async (t) => {
  const { path, request } = await prepare(shared());
  t.is((await shared().post('article.updated', request)).status, 200);
  edit(path, `Rewritten as ${request.id}.\n\n<!--`, 'Written by hand.\n\n<!--');
  await mustConflict(t, shared(), path, request);
  await mustConflict(t, shared(), path, request);
});
