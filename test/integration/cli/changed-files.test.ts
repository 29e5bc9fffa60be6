import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { CAPABILITIES } from '../../../src/contract/limits.js';
import { startEndpoint } from '../../support/endpoint.js';
import { runHere } from '../../support/in-process.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';

interface Stored {
  readonly id: string;
  readonly title: string;
  readonly content_html: string;
  readonly revision_id: string;
}

/** A folder of posts that is connected to a receiver in memory. `fail` has it answer a status, before it stores an article and after an update. */
async function connected(t: ExecutionContext) {
  const articles = new Map<string, Stored>();
  let failure: number | undefined;
  const endpoint = await startEndpoint(t, ({ body }, response) => {
    const { event, data } = JSON.parse(body.toString());
    const url = data.target_url ?? `https://g.example/${data.slug}`;
    const answer = { received: true, contract_version: 3, capabilities: CAPABILITIES };
    if (/published|updated/.test(event) && failure !== undefined) response.statusCode = failure;
    const isStored = event === 'article.updated' || (event === 'article.published' && failure === undefined);
    if (isStored) articles.set(url, { revision_id: data.id, ...data, id: articles.get(url)?.id ?? data.id });
    const target = { url, ...articles.get(url) };
    response.end(JSON.stringify({ ...answer, url, target, revision_id: data.revision_id }));
  });
  const dir = tempDir(t);
  const posts = join(dir, 'posts');
  fs.mkdirSync(posts);
  const sender = (...words: string[]) => runHere([...words, '--dir', dir], { PRESSMARK_SECRET: SECRET });
  await sender('connect', 'garden', endpoint.url);
  return {
    ...{ dir, posts, sender, endpoint },
    write: (name: string, text: string) => {
      fs.writeFileSync(join(posts, name), text);
      return join(posts, name);
    },
    fail: (status: number | undefined) => {
      failure = status;
    },
    textOf: (slug: string) => articles.get(`https://g.example/${slug}`)?.content_html ?? '',
  };
}

test('a file that gets its first text back after a refresh has changed', async (t) => {
  const { posts, sender, write, textOf } = await connected(t);
  const texts = ['First.', 'Second.', 'First.'];
  for (const [n, text] of texts.entries()) {
    write('bees.md', `---\ntitle: Bees\n---\n${text}\n`);
    t.is((await sender(...(n === 0 ? ['publish'] : ['refresh', '--changed']), posts)).code, 0);
    t.regex(textOf('bees'), new RegExp(text));
  }
  t.regex((await sender('refresh', '--changed', posts)).stdout, /^1 file: 1 unchanged\n$/);
});

test('a file that gets its text back after a refresh that may have landed has changed', async (t) => {
  const { posts, sender, write, fail, textOf } = await connected(t);
  const text = (words: string) => write('bees.md', `---\ntitle: Bees\n---\n${words}\n`);
  text('First.');
  await sender('publish', posts);
  fail(502); // of a proxy before a receiver that has stored it
  text('Second.');
  const { stdout } = await sender('refresh', '--changed', posts, '--json');
  await sender('deliveries', 'cancel', JSON.parse(stdout)[0].delivery);
  t.regex(textOf('bees'), /Second/);
  fail(undefined);
  text('First.');
  await sender('refresh', '--changed', posts, '--force');
  t.regex(textOf('bees'), /First/);
});

test('of two copies that are published together one is refused, with a dry run and without', async (t) => {
  const { posts, sender, write, endpoint } = await connected(t);
  for (const name of ['bees.md', 'copy.md']) write(name, '---\ntitle: Bees\n---\nText.\n');
  for (const dry of [['--dry-run'], []]) {
    const { code, stdout } = await sender('publish', posts, ...dry);
    t.is(code, 1);
    t.regex(stdout, /posts\/copy\.md: its title and its text are those of posts\/bees\.md; if it is/);
  }
  t.is(endpoint.got.length, 1 + 1);
});

test('a dry run says of a delivery that is there what publish then does', async (t) => {
  const { dir, posts, sender, write, fail } = await connected(t);
  fail(422);
  write('ants.md', '---\n---\nText.\n');
  write('bees.md', '---\nid: bees\n---\nText.\n');
  await sender('publish', posts);
  write('ants.md', '---\n---\nCorrected.\n');
  const other = write('other.md', '---\nid: bees\n---\nOther text.\n');
  const plans = async (...paths: string[]) => {
    const { stdout } = await sender('publish', ...paths, '--dry-run', '--json');
    return (JSON.parse(stdout) as { status: string; why: string | null }[]).map(
      ({ status, why }) => why ?? status,
    );
  };
  t.deepEqual(await plans(posts), ['to be sent', 'sent before', 'posts/bees.md has the same id, bees']);
  t.deepEqual(await plans(other), ['posts/bees.md has the same id, bees'], 'also where it is named alone');

  const deliveries = join(dir, '.pressmark-sender/deliveries');
  for (const name of fs.readdirSync(deliveries)) fs.writeFileSync(join(deliveries, name), '{');
  const spoiled = await plans(join(posts, 'ants.md'));
  t.regex(spoiled.join(), /^its delivery record \w+\.json cannot be read; fix it or move it away$/);
});

test('work --keep says how long the records of refreshes are kept; the last one of each article stays', async (t) => {
  const { posts, sender, write } = await connected(t);
  for (const [n, text] of ['First.', 'Second.', 'Third.'].entries()) {
    write('bees.md', `---\ntitle: Bees\n---\n${text}\n`);
    await sender(...(n === 0 ? ['publish'] : ['refresh', '--changed']), posts);
  }
  const count = async (...keep: string[]) => {
    t.is((await sender('work', '--once', ...keep)).code, 0);
    return JSON.parse((await sender('deliveries', '--json')).stdout).length;
  };
  t.deepEqual([await count(), await count('--keep', '1'), await count('--keep', '0')], [3, 3, 2]);
  t.is((await sender('work', '--once', '--keep', 'a-while')).code, 2);
});

test('refresh --changed counts the files that it leaves by what they are', async (t) => {
  const { posts, sender, write, fail } = await connected(t);
  write('bees.md', '---\n---\nText.\n');
  await sender('publish', posts);
  fail(503);
  await sender('publish', write('failed.md', '---\n---\nText.\n'));
  write('new.md', '---\n---\nText.\n');
  write('draft.md', '---\ndraft: true\n---\nText.\n');
  t.is(
    (await sender('refresh', '--changed', posts)).stdout,
    '4 files: 1 unchanged, 2 not delivered yet, 1 left out\n',
  );
});
