import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { runHere } from '../../support/in-process.js';
import { STORE_ONLY } from '../../support/receiver.js';
import { sharedHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';

const receiver = sharedHere(test, STORE_ONLY);

const here = (...args: string[]) => runHere(['send', ...args], { PRESSMARK_SECRET: SECRET });

test('send signs each of the four events so that the receiver takes them', async (t) => {
  const { dir, origin } = receiver();
  const to = ['--to', `${origin}/webhook`];
  const send = async (...args: string[]) => {
    const ended = await here(...args, ...to, '--dir', dir, '--json');
    const { status, body } = JSON.parse(ended.stdout) as { status: number; body: string };
    return { code: ended.code, status, answer: JSON.parse(body) };
  };
  const file = (name: string, data: object) => {
    fs.writeFileSync(join(dir, name), JSON.stringify(data));
    return join(dir, name);
  };

  const plain = await here('webhook.test', ...to, '--dir', dir);
  t.deepEqual([plain.code, plain.stderr], [0, '']);
  t.regex(plain.stdout, /^200 in \d+ ms\n\{"received":true,"contract_version":3,/);
  const published = await send(
    'article.published',
    '--file',
    file('a.json', { id: 'one', title: 'One', slug: 'one' }),
  );
  t.deepEqual(published, {
    code: 0,
    status: 200,
    answer: { received: true, id: 'one', url: 'https://garden.example/articles/one/' },
  });
  const found = await send('article.lookup', '--target', published.answer.url);
  const base = { target_id: 'one', base_revision_id: found.answer.target.revision_id };
  const target = ['--target', published.answer.url];
  const updated = await send(
    'article.updated',
    '--file',
    file('b.json', { id: 'draft', title: 'Two', ...base }),
    ...target,
  );
  t.is(updated.answer.revision_id, 'draft');
  const stale = await send('article.updated', '--file', file('c.json', { id: 'late', ...base }), ...target);
  t.deepEqual([stale.code, stale.status], [1, 409]);
});

test('send refuses wrong usage', async (t) => {
  for (const [args, message] of [
    [['article.deleted'], /Allowed choices are article\.published/],
    [['article.lookup'], /give it with --target/],
    [['article.updated', '--target', 'https://garden.example/a'], /needs target_id/],
    [['article.published', '--file', 'nowhere.json'], /nowhere\.json.*cannot be read/],
  ] as const) {
    const { code, stdout, stderr } = await here(...args, '--dir', tempDir(t));
    t.deepEqual([code, stdout], [2, ''], args.join(' '));
    t.regex(stderr, message);
  }
});
