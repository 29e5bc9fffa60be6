import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article, update } from '../../support/events.js';
import { generatorSite } from '../../support/generator-site.js';
import { HOSTILE_TEXTS } from '../../support/hostile.js';
import { STORE_ONLY } from '../../support/receiver.js';
import { sharedHere, startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';

const receiver = sharedHere(test, STORE_ONLY);

/** Markdown for which the renderer would take minutes. */
const ENDLESS = HOSTILE_TEXTS['lines in nested quotes']?.(200_000) ?? '';

test('200: Markdown that would take too long is stored as it came, shown as it is, and can be updated', async (t) => {
  const { post, find } = receiver();
  const data = article({ content_html: '', content_markdown: ENDLESS });
  const { status, json } = await post('article.published', data);
  t.is(status, 200);
  const found = await find(json.url);
  t.regex(found.content_html, /^<pre>&gt;&gt;/);
  const target = { target_id: data.id, target_url: json.url, base_revision_id: found.revision_id };
  const plain = update(target, { content_html: '<p>Plainer.</p>' });
  t.is((await post('article.updated', plain)).status, 200);
  t.regex((await find(json.url)).content_html, /^<p>Plainer\.<\/p>/);
});

test('200-published: a site of another generator gets the HTML of what would take too long', async (t) => {
  const dir = generatorSite(tempDir(t), 'hugo');
  const { post } = await startHere(t, { dir });
  const data = article({ content_html: '<p>As HTML.</p>', content_markdown: ENDLESS });
  t.is((await post('article.published', data)).status, 200);
  const file = fs.readFileSync(join(dir, 'content/posts', `${data.slug}.html`), 'utf8');
  t.true(file.includes('<p>As HTML.</p>'));
});
