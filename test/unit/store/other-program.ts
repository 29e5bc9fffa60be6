// Another program, which adds articles below the folder of its first argument, each in one of several ways, and prints
// the number of each as soon as its last system call has returned.
import fs from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '../../support/random.js';

const [root = '', count = ''] = process.argv.slice(2);
const random = createRandom('ways of another program');
const outside = join(root, '..', 'outside');
const LONG_AGO = new Date('2020-02-02T02:02:02Z');

/** The text of the n-th article, at a URL of its own. */
function textOf(n: number): string {
  return `---\ntitle: "Theirs"\nid: "theirs-${n}"\nurl: "https://garden.example/theirs/${n}/"\n---\n\nSome words.\n`;
}

/** Writes it outside of the content folder; with an old time stamp, as `rsync -t` and `cp -p` keep it. */
function staged(n: number): string {
  const path = join(outside, `${n}.tmp`);
  fs.writeFileSync(path, textOf(n));
  fs.utimesSync(path, LONG_AGO, LONG_AGO);
  return path;
}

const WAYS: ((n: number) => void)[] = [
  (n) => fs.writeFileSync(join(root, `${n}.md`), textOf(n)),
  (n) => fs.renameSync(staged(n), join(root, `${n}.md`)),
  (n) => fs.linkSync(staged(n), join(root, `${n}.md`)),
  (n) => {
    fs.mkdirSync(join(root, `deep-${n}`, 'folder'), { recursive: true });
    fs.renameSync(staged(n), join(root, `deep-${n}`, 'folder', `${n}.md`));
  },
  (n) => {
    fs.mkdirSync(join(outside, `folder-${n}`));
    fs.renameSync(staged(n), join(outside, `folder-${n}`, `${n}.md`));
    fs.renameSync(join(outside, `folder-${n}`), join(root, `moved-${n}`));
  },
  (n) => {
    fs.writeFileSync(join(root, `${n}.md`), 'half');
    fs.appendFileSync(join(root, `${n}.md`), '');
    fs.writeFileSync(join(root, `${n}.md`), textOf(n));
  },
];

fs.mkdirSync(outside, { recursive: true });
for (let n = 0; n < Number(count); n++) {
  random.pick(WAYS)(n);
  fs.writeSync(1, `${n}\n`);
}
