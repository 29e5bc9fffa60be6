import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { adminOf } from '../../support/admin.js';
import { gitIn } from '../../support/clones.js';
import { article } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('the pages of git and of an article do not wait for a git that takes long, and have what it says later', async (t) => {
  const [dir, bin] = [tempDir(t), tempDir(t)];
  const gate = join(bin, 'gate');
  // Looks into the history, and at the files, only while the gate is not there.
  const script = `#!/bin/sh\ncase " $* " in *" log "* | *" status "*) while [ -e '${gate}' ]; do sleep 0.05; done ;; esac\nPATH='${process.env.PATH}' exec git "$@"\n`;
  fs.writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  gitIn(dir, 'init', '--quiet');
  const receiver = await startHere(t, {
    dir,
    config: { site: false, durability: 'commit' },
    env: { PATH: `${bin}:${process.env.PATH}` },
  });
  const data = article({ id: 'moss', title: 'What moss remembers' });
  t.is((await receiver.post('article.published', data)).status, 200);
  const admin = await adminOf(receiver);
  fs.writeFileSync(gate, '');
  t.teardown(() => fs.rmSync(gate, { force: true }));
  const { text } = await admin.get('articles/article?id=moss');
  t.true(text.includes('What moss remembers'));
  t.regex(text, /<section id="versions"[^>]* data-live/);
  const ofGit = await admin.get('git');
  t.regex(ofGit.text, /Git is looking at the files/);
  t.notRegex(ofGit.text, /The current text of every article is committed/);
  fs.rmSync(gate);
  await until('the page of git is whole', async () =>
    (await admin.get('git')).text.includes('The current text of every article is committed'),
  );
  await until('the versions are there', async () =>
    (await admin.get('articles/article?id=moss')).text.includes('Publish: What moss remembers'),
  );
  t.pass();
});
