import test from 'ava';
import { configText, literal } from '../../../../src/app/init/config-text.js';
import { fc, runs } from '../../../support/property.js';

test('the config of a generator site has only the settings that matter', (t) => {
  const built = {
    generator: 'hugo',
    options: {},
    build: 'hugo --minify',
    file: 'posts/:slug.md',
    permalink: '/posts/:slug/',
    body: 'markdown',
    frontMatter: {},
  } as const;
  const config = {
    siteUrl: 'https://garden.example/notes',
    service: undefined,
    content: 'content',
    output: 'public',
  };
  const text = configText({ ...config, built });
  t.true(text.includes("  generator: 'hugo',\n  siteUrl: 'https://garden.example/notes',\n"));
  t.false(/body|frontMatter/.test(text));
  const frontMatter = { layout: 'post', 'en-US': ["it's", true] };
  const service = { name: 'Acme', comment: 'ac' };
  const more = configText({
    ...config,
    siteUrl: undefined,
    service,
    built: { ...built, body: 'html', frontMatter },
  });
  t.regex(more, /^ {2}\/\/ siteUrl: 'https:\/\/example\.com',/m);
  t.regex(more, /^ {2}service: \{ name: 'Acme', comment: 'ac' \},/m);
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
