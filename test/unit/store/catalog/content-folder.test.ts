import test from 'ava';
import { articleFormat } from '../../../../src/article/format/format.js';
import { generatorNamed } from '../../../../src/generators/registry.js';
import { contentFolder, htmlOf } from '../../../../src/store/catalog/content-folder.js';
import { SOIL } from '../../generators/definitions.js';

test('after a person’s edit, the HTML of an article has the text that readers see, not the escapes of its generator', async (t) => {
  const layout = {
    path: (slug: string) => `${slug}.md`,
    url: (slug: string) => `https://garden.example/blog/${slug}/`,
  };
  for (const name of ['hugo', 'jekyll'] as const) {
    const mapping = generatorNamed(name).mapping({
      body: 'markdown',
      constants: {},
      address: (slug) => `/blog/${slug}/`,
      dates: 'day',
    });
    const content = contentFolder(
      '/nowhere',
      layout,
      articleFormat({
        mapping,
        siteUrl: 'https://garden.example',
        url: layout.url,
        listed: { get: () => undefined, version: '' },
      }),
    );
    const sent = { ...SOIL, body: 'Write {{< figure >}} and {% raw %}.', contentHtml: '<p>Write it.</p>' };
    const { text } = content.format.encode(sent, 'soil.md');
    t.false(text.includes(sent.body));
    const edited = content.format.decode(`${text}\nA line of mine.\n`, 'soil.md');
    t.regex(
      await htmlOf(content, edited),
      /^<p>Write \{\{&lt; figure &gt;\}\} and \{% raw %\}\.(?:\nA line of mine\.)?<\/p>/,
      name,
    );
  }
});
