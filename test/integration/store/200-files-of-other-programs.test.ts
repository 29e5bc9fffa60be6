import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { fileOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { STORE_ONLY } from '../../support/receiver.js';
import { sharedHere } from '../../support/receiver-here.js';

const receiver = sharedHere(test, STORE_ONLY);

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
    const month = join(dir, 'content/articles/2026/11');
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
  '200-lookup: the next lookup knows the articles of another folder in the place of the content folder',
  async (t) => {
    const { dir, find } = receiver();
    const url = 'https://garden.example/in-the-new-folder/';
    fs.renameSync(join(dir, 'content'), join(dir, 'content-before'));
    fs.mkdirSync(join(dir, 'content', 'posts'), { recursive: true });
    fs.writeFileSync(join(dir, 'content', 'posts', 'a.md'), theirs(url));
    t.is((await find(url)).title, 'Theirs');
  },
);
