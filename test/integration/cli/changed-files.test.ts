import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { CAPABILITIES } from '../../../src/contract/limits.js';
import { startEndpoint } from '../../support/endpoint.js';
import { runHere } from '../../support/in-process.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';

interface Stored {
  readonly title: string;
  readonly content_html: string;
  readonly revision_id: string;
}

/** A folder of posts that is connected to a receiver in memory. */
async function connected(t: ExecutionContext) {
  const articles = new Map<string, Stored>();
  const endpoint = await startEndpoint(t, ({ body }, response) => {
    const { event, data } = JSON.parse(body.toString());
    const url = data.target_url ?? `https://g.example/${data.slug}`;
    const answer = { received: true, contract_version: 3, capabilities: CAPABILITIES };
    if (/published|updated/.test(event)) articles.set(url, { revision_id: data.id, ...data });
    const target = { id: url, url, ...articles.get(url) };
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
  t.regex((await sender('refresh', '--changed', posts)).stdout, /^1 file: 0 refreshed/);
});
