import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { ask } from '../../../support/ask.js';
import { article } from '../../../support/events.js';
import { sharedHere } from '../../../support/receiver-here.js';
import { until } from '../../../support/until.js';

// A site below a path. What the receiver serves of it is the same as on the disk, without the script of live-reload.test.ts.
const BASE = 'https://garden.example/blog';
const receiver = sharedHere(test, { env: { PRESSMARK_SITE_URL: BASE } });

const get = (path: string) => ask(receiver().origin, path);
const onDisk = (file: string) => fs.readFileSync(join(receiver().dir, 'public', file), 'utf8');

test.serial(
  '200: the page of an article is served at its path, and a lookup finds the article by it',
  async (t) => {
    const { json } = await receiver().post('article.published', article({ slug: 'hive', title: 'The hive' }));
    t.is(json.url, `${BASE}/articles/hive/`);
    await until('the home page lists it', async () => (await get('/blog/')).text.includes('The hive'));
    const page = await get('/blog/articles/hive/');
    t.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8']);
    t.true(page.text.includes('<!-- svc:item:'));
    t.is(page.text, onDisk('articles/hive/index.html'));
    t.is((await receiver().find(`${BASE}/articles/hive`)).id, json.id);
  },
);

test.serial('pages come with a policy under which each of their inline scripts may run', async (t) => {
  for (const path of ['/blog/', '/blog/search/', '/blog/nowhere/']) {
    const { headers, text } = await get(path);
    const policy = String(headers['content-security-policy']);
    t.regex(policy, /^script-src 'self' 'wasm-unsafe-eval' .*; frame-ancestors 'self'$/, path);
    for (const [, script = ''] of text.matchAll(
      /<script(?![^>]*(?:src=|ld\+json))[^>]*>([\s\S]*?)<\/script>/g,
    ))
      t.true(policy.includes(createHash('sha256').update(script).digest('base64')), `${path}: ${script}`);
  }
});

test.serial(
  '301: the root leads to the site, a path without its slash to the one with it, and nothing is outside',
  async (t) => {
    for (const [path, location] of [
      ['/', '/blog/'],
      ['/blog', '/blog/'],
      ['/blog/articles/hive', '/blog/articles/hive/'],
    ] as const) {
      const { status, headers } = await get(path);
      t.deepEqual([status, headers.location], [301, location], path);
    }
    for (const path of ['/articles/hive/', '/blog/.pressmark/live'])
      t.is((await get(path)).status, 404, path);
  },
);
