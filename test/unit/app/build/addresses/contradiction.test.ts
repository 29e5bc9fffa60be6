import test from 'ava';
import { contradictionOf } from '../../../../../src/app/build/addresses/contradiction.js';
import { mappingOf } from '../../../../../src/app/content/content.js';
import { loadSettings } from '../../../../../src/config/load.js';
import { generatorNamed } from '../../../../../src/generators/registry.js';
import { tempDir } from '../../../../support/temp-dir.js';

test('a rule is not called wrong for the way in which posts write their dates', async (t) => {
  const loaded = await loadSettings(tempDir(t), {}, { PRESSMARK_SITE_URL: 'https://garden.example' });
  const check = (permalink: string, date: unknown, address: string, timeZone?: string, path = 'soil.md') => {
    const settings = { ...loaded, articles: { ...loaded.articles, file: ':slug.md', permalink } };
    const generator = generatorNamed('astro');
    const options = { keys: { date: 'date' }, ...(timeZone !== undefined && { timeZone }) };
    const site = { generator, options, mapping: mappingOf(settings, generator, options) };
    const data = date === undefined ? {} : { date };
    return contradictionOf([{ path, data }], new Map([[path, address]]), settings, {
      ...site,
      files: { read: () => undefined, list: () => [] },
    });
  };
  const month = '/:year/:month/:slug/';
  t.is(check(month, '2018-05-02 10:00:00 +0200', '/2018/05/soil/'), undefined);
  t.is(check(month, 'May 2, 2018', '/2018/05/soil/'), undefined);
  for (const zone of ['America/New_York', 'Asia/Tokyo'])
    t.is(check('/:year/:slug/', '2018-01-01', '/2018/soil/', zone), undefined);
  t.is(
    check('/:year/:slug/', '2018-01-01T02:00:00Z', '/2018/soil/', 'America/New_York'),
    undefined,
    'in UTC',
  );
  t.is(check(month, undefined, '/2018/05/soil/'), undefined, 'a date that nobody knows');
  t.regex(
    check(month, '2018-06-02', '/2018/05/soil/') ?? '',
    /^articles\.permalink is "\/:year\/:month\/:slug\/", but/,
  );
});
