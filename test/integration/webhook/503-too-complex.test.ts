import fs from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { fileOf, treeOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { generatorSite } from '../../support/generator-site.js';
import { HOSTILE_TEXTS } from '../../support/hostile.js';
import { type Receiver, STORE_ONLY, startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

/** Markdown that takes several times what is allowed. */
const ENDLESS = HOSTILE_TEXTS['lines in nested quotes']?.(630_000) ?? '';

/** Delivers something slow; /healthz and a delivery of another article, asked for behind it, are answered before. */
async function overtaken(
  t: ExecutionContext,
  { origin, post }: Receiver,
  event: string,
  data: unknown,
): Promise<{ status: number; error: string }> {
  const order: string[] = [];
  const noted = async <T>(what: string, answer: Promise<T>) => {
    const given = await answer;
    order.push(what);
    return given;
  };
  const slow = noted('the slow delivery', post(event, data));
  const health = await noted('health', fetch(`${origin}/healthz`));
  t.is(health.status, 200);
  t.is((await noted('another', post('article.published', article()))).status, 200);
  const { status, json } = await slow;
  t.deepEqual(order, ['health', 'another', 'the slow delivery']);
  return { status, error: json.error };
}

test('503-too-complex: what takes too long to render is refused, and holds up nothing else', async (t) => {
  const receiver = await startReceiver(t, STORE_ONLY);
  const { dir, post, find } = receiver;
  const data = article({ content_html: '', content_markdown: ENDLESS });
  const { status, json } = await post('article.published', data);
  t.is(status, 200, 'the text is stored as it came, without being rendered');
  const refused = await overtaken(t, receiver, 'article.lookup', { target_url: json.url });
  t.is(refused.status, 503);
  t.regex(refused.error, /reading or rendering the article's text .*simplify/);

  const { status: stale, json: conflict } = await post(
    'article.updated',
    update({ target_id: data.id, target_url: json.url, base_revision_id: 'none' }),
  );
  t.is(stale, 409);
  const { current_revision_id: base_revision_id = '' } = conflict;
  const target = { target_id: data.id, target_url: json.url, base_revision_id };
  const plain = update(target, { content_html: '<p>Plainer.</p>' });
  t.is((await post('article.updated', plain)).status, 200);
  t.regex((await find(json.url)).content_html, /^<p>Plainer\.<\/p>/);
  t.true(fs.readFileSync(fileOf(dir, data.id), 'utf8').includes('Plainer'));
});

test('200-lookup: a long article that takes no time is rendered after an edit', async (t) => {
  const { dir, post, find } = await startReceiver(t, STORE_ONLY);
  const words = 'Out of the *wind*.\n\n'.repeat(20_000);
  const data = article({ content_markdown: words });
  const { json } = await post('article.published', data);
  fs.appendFileSync(fileOf(dir, data.id), '\nBehind a hedge.\n');
  await until('the edit is in the lookup', async () =>
    (await find(json.url)).content_html.includes('<p>Behind a hedge.</p>'),
  );
  const { content_html } = await find(json.url);
  t.is(content_html.split('<p>Out of the <em>wind</em>.</p>').length, 20_001);
});

test('503-too-complex: nothing is stored where a site of another generator needs what cannot be read in time', async (t) => {
  const dir = generatorSite(tempDir(t), 'hugo');
  const receiver = await startReceiver(t, { dir });
  const data = article({ content_html: '', content_markdown: ENDLESS });
  const refused = await overtaken(t, receiver, 'article.published', data);
  t.is(refused.status, 503);
  t.false(treeOf(dir).some((line) => line.includes(data.slug)));
  const again = { ...data, content_markdown: 'Plainer.' };
  t.is((await receiver.post('article.published', again)).status, 200);
});
