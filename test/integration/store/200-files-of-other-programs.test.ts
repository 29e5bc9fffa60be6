import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { edit, fileOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { STORE_ONLY } from '../../support/receiver.js';
import { sharedHere, startHere } from '../../support/receiver-here.js';

const MONTH = 'content/articles/2026/11';
const OTHERS = { 'notes.txt': 'x', 'empty.md': '', 'plain.md': '# No front matter\n', 'a.md.bak': 'x' };

const receiver = sharedHere(test, STORE_ONLY, (dir) => {
  fs.mkdirSync(join(dir, MONTH), { recursive: true });
  fs.symlinkSync('articles/2026', join(dir, 'content/latest'));
  fs.symlinkSync('gone.md', join(dir, MONTH, 'wasps.md'));
  fs.symlinkSync('circle.md', join(dir, MONTH, 'circle.md'));
  for (const [name, text] of Object.entries(OTHERS)) fs.writeFileSync(join(dir, 'content', name), text);
  fs.mkdirSync(join(dir, 'content', 'folder.md'));
});

const LONG_AGO = new Date('2020-02-02T02:02:02Z');

let made = 0;

/** An article by another hand. */
function theirs(url: string): string {
  return `---\ntitle: "Theirs"\nid: "theirs-${++made}"\nurl: "${url}"\n---\n\nSome words.\n`;
}

/** Where the ways find what they need; all folders are there when a way is gone, but for `fresh`. */
interface Places {
  readonly content: string;
  /** A folder of the content folder that the receiver writes to. */
  readonly month: string;
  /** A folder beside the content folder. */
  readonly outside: string;
  /** The name of a file or folder that is nowhere yet. */
  readonly fresh: string;
}

/** Ways in which other programs put a file into the content folder. */
const WAYS: Record<string, (places: Places, text: string) => void> = {
  'copied as rsync does, while the time stamp of the folder is kept': ({ month, fresh }, text) => {
    fs.writeFileSync(join(month, `.${fresh}.md.Xy12ab`), text);
    fs.utimesSync(join(month, `.${fresh}.md.Xy12ab`), LONG_AGO, LONG_AGO);
    fs.renameSync(join(month, `.${fresh}.md.Xy12ab`), join(month, `${fresh}.md`));
    fs.utimesSync(month, LONG_AGO, LONG_AGO);
  },
  'moved in with its folder': ({ content, outside, fresh }, text) => {
    fs.mkdirSync(join(outside, fresh, 'deep'), { recursive: true });
    fs.writeFileSync(join(outside, fresh, 'deep', 'a.md'), text);
    fs.renameSync(join(outside, fresh), join(content, fresh));
  },
  'written over another article': ({ content, month, fresh }, text) => {
    fs.writeFileSync(join(month, `${fresh}.md`), theirs('https://garden.example/replaced/'));
    fs.writeFileSync(join(content, `${fresh}.new`), text);
    fs.renameSync(join(content, `${fresh}.new`), join(month, `${fresh}.md`));
  },
  'in a folder that was removed and made anew': ({ content, fresh }, text) => {
    for (const file of ['old.md', 'a.md']) {
      fs.rmSync(join(content, fresh), { recursive: true, force: true });
      fs.mkdirSync(join(content, fresh));
      fs.writeFileSync(join(content, fresh, file), text);
    }
  },
};

function places(month: string): Places {
  const { dir } = receiver();
  const outside = join(dir, 'outside');
  fs.mkdirSync(outside, { recursive: true });
  return { content: join(dir, 'content'), month, outside, fresh: `fresh-${++made}` };
}

for (const [how, put] of Object.entries(WAYS))
  test.serial(`200-lookup: the next lookup knows an article ${how}`, async (t) => {
    const { dir, post, find } = receiver();
    // Each time the receiver itself has just written into the folder.
    const month = join(dir, MONTH);
    const url = `https://garden.example/theirs-${++made}/`;
    t.is((await post('article.lookup', { target_url: url })).status, 404);
    t.is((await post('article.published', article())).status, 200);
    put(places(month), theirs(url));
    t.is((await find(url)).title, 'Theirs');
  });

test.serial('200-published: a redelivery finds a file that was put back a moment ago', async (t) => {
  const { dir, post } = receiver();
  const data = article();
  const { text, json } = await post('article.published', data);
  const file = fileOf(dir, data.id);
  const theirs = fs.readFileSync(file);
  fs.unlinkSync(file);
  t.is((await post('article.lookup', { target_url: json.url })).status, 404);
  fs.writeFileSync(file, theirs); // as a checkout of another branch and back does
  t.is((await post('article.published', data)).text, text);
  t.is(fileOf(dir, data.id), file, 'it is not stored twice');
});

test.serial(
  '200: a malformed file concerns its article alone, whose id stays taken, also for a receiver that starts, until it is corrected',
  async (t) => {
    const first = receiver();
    const { dir } = first;
    const [broken, sound] = [article(), article()];
    const { text, json } = await first.post('article.published', broken);
    const { url: soundUrl } = (await first.post('article.published', sound)).json;
    const { revision_id: base_revision_id } = await first.find(json.url);
    const file = fileOf(dir, broken.id);
    edit(file, '\nslug:', '\nbroken: [1, 2\nslug:');
    const theirs = fs.readFileSync(file, 'utf8');
    const request = update({ target_id: broken.id, target_url: json.url, base_revision_id });
    const restarted = async () => {
      await (await startHere(t, { dir })).close(); // which saves what it knows
      return startHere(t, { dir });
    };
    for (const when of ['while it runs', 'after a start']) {
      const one = when === 'while it runs' ? first : await restarted();
      if (one !== first) {
        t.is(one.log.find(({ msg }) => msg === 'recovered')?.read, 0);
        const named = one.log.find(({ path }) => file.endsWith(String(path)));
        t.regex(String(named?.reason), /^line \d+: /);
      }
      const { post, find } = one;
      t.is((await post('article.published', broken)).text, text, when);
      const lookup = await post('article.lookup', { target_url: json.url });
      t.is(lookup.status, 404);
      t.regex(lookup.json.error, /is malformed, line \d+: /);
      t.is((await post('article.updated', request)).status, 404);
      t.is((await find(soundUrl)).id, sound.id);
      t.is((await post('article.published', article())).status, 200);
      t.is(fs.readFileSync(file, 'utf8'), theirs);
    }
    edit(file, '\nbroken: [1, 2\n', '\n');
    t.is((await first.find(json.url)).revision_id, base_revision_id);
  },
);

test.serial(
  '200: symbolic links that lead nowhere, in a circle, or to a folder of articles are in nobody’s way; other files are left alone',
  async (t) => {
    const { dir, post, find } = receiver();
    for (const slug of ['wasps', 'circle', 'bees']) {
      const data = article({ slug });
      const { status, json } = await post('article.published', data);
      t.is(status, 200);
      t.is(json.url, `https://garden.example/articles/${slug === 'bees' ? slug : `${slug}-2`}/`);
      t.is((await find(json.url)).id, data.id);
    }
    for (const [name, text] of Object.entries(OTHERS))
      t.is(fs.readFileSync(join(dir, 'content', name), 'utf8'), text);
  },
);

test.serial(
  '200-lookup: the next lookup knows the articles of another folder in the place of the content folder; without one, a publication makes it',
  async (t) => {
    const { dir, find, post } = receiver();
    const url = 'https://garden.example/in-the-new-folder/';
    fs.renameSync(join(dir, 'content'), join(dir, 'content-before'));
    fs.mkdirSync(join(dir, 'content', 'posts'), { recursive: true });
    fs.writeFileSync(join(dir, 'content', 'posts', 'a.md'), theirs(url));
    t.is((await find(url)).title, 'Theirs');
    fs.rmSync(join(dir, 'content'), { recursive: true });
    const data = article();
    t.is((await post('article.published', data)).status, 200);
    t.truthy(fileOf(dir, data.id));
  },
);
