import test from 'ava';
import { contentOf } from '../../../src/app/content/content.js';
import { draftOf } from '../../../src/article/article.js';
import { renderedHtml } from '../../../src/article/codec.js';
import { loadSettings } from '../../../src/config/load.js';
import { article, update } from '../../support/events.js';
import { generatorSite } from '../../support/generator-site.js';
import { HOSTILE_TEXTS } from '../../support/hostile.js';
import { SITE_URL } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

for (const generator of ['plain', 'hugo', 'jekyll', 'eleventy', 'astro'] as const)
  test(`${generator}: the thread for long articles makes and reads the same files`, async (t) => {
    const dir = tempDir(t);
    if (generator !== 'plain') generatorSite(dir, generator);
    const settings = await loadSettings(dir, {}, { PRESSMARK_SITE_URL: SITE_URL });
    const { format, work } = contentOf(settings);
    const tags = Array.from({ length: 3_000 }, (_, n) => `Soil & ${n}`);
    const keyOf = await work.tagKeys(tags);
    t.deepEqual(keyOf && tags.map(keyOf), format.tagKey && tags.map(format.tagKey));
    t.is(keyOf?.('Moss'), format.tagKey?.('Moss'), 'a tag that was not asked for');
    for (const name of ['shortcodes', 'open images', 'lines like YAML', 'line separators']) {
      const long = `${'Some words.\n\n'.repeat(700)}${HOSTILE_TEXTS[name]?.(1_500)}`;
      for (const content_html of ['', long]) {
        const data = article({ content_html, content_markdown: `${long}!`, json_ld: 'a'.repeat(60_000) });
        const draft = draftOf(data);
        const path = format.pathFor('posts/soil.md', draft);
        t.is((await work.pathFor(draft))('posts/soil.md'), path, name);
        const named = { ...draft, url: `${SITE_URL}/posts/soil/`, updated: null };
        const first = format.encodeFirst(named, path);
        const { bytes: _, ...file } = first;
        t.deepEqual(await work.encodeFirst(named, path), file, name);
        const edited = `${first.text}\nAn edit.\n`;
        const stored = format.decode(edited, path);
        t.deepEqual(await work.decode(edited, path), stored, name);
        t.is(await work.html(stored), renderedHtml(stored), name);
        const next = { ...stored.article, ...draftOf(update({ ...TARGET }, { content_html: `${long}?` })) };
        const wanted = { ...next, id: draft.id, slug: stored.article.slug, extra: {}, revision: 'next' };
        t.deepEqual(
          await work.amend(edited, stored, wanted, path),
          format.amend(edited, stored, wanted, path),
          name,
        );
      }
    }
  });

const TARGET = { target_id: 'a', target_url: `${SITE_URL}/posts/soil/`, base_revision_id: 'b' };
