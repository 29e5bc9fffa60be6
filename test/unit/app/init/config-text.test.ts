import test from 'ava';
import { generatorConfigText, literal } from '../../../../src/app/init/config-text.js';
import { fc, runs } from '../../../support/property.js';

test('the config of a generator site has only the settings that matter', (t) => {
  const config = {
    generator: 'hugo',
    options: {},
    siteUrl: 'https://garden.example/notes',
    service: undefined,
    content: 'content',
    output: 'public',
    build: 'hugo --minify',
    file: 'posts/:slug.md',
    permalink: '/posts/:slug/',
    body: 'markdown',
    frontMatter: {},
  } as const;
  const text = generatorConfigText(config);
  t.true(text.includes("  generator: 'hugo',\n  siteUrl: 'https://garden.example/notes',\n"));
  t.false(/body|frontMatter/.test(text));
  const more = generatorConfigText({
    ...config,
    siteUrl: undefined,
    body: 'html',
    frontMatter: { layout: 'post', 'en-US': ["it's", true] },
  });
  t.regex(more, /^ {2}\/\/ siteUrl: 'https:\/\/example\.com',/m);
  const named = generatorConfigText({ ...config, service: { name: 'Acme', comment: 'ac' } });
  t.regex(named, /^ {2}service: \{ name: 'Acme', comment: 'ac' \},/m);
  t.regex(more, /^ {4}body: 'html',/m);
  t.true(more.includes(`frontMatter: { layout: 'post', 'en-US': ["it's", true] },`));
});

test('whatever stands in a setting, the config reads back the same', (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
      t.deepEqual(new Function(`return (${literal(value)})`)(), JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: runs(200) },
  );
});
