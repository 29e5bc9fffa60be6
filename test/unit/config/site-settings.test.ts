import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { loadSettings } from '../../../src/config/load.js';
import { siteSchema } from '../../../src/config/site-schema.js';
import { tempDir } from '../../support/temp-dir.js';

type Context = Parameters<typeof tempDir>[0];

function load(t: Context, site: unknown) {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ site }));
  return loadSettings(dir, {}, {});
}

test('what is said of the site is taken as it is', async (t) => {
  const said = {
    title: 'Études',
    language: 'ar-EG',
    navigation: [
      { label: 'About', href: '/about/?from=header#top' },
      { label: 'Mail', href: 'mailto:me@x.example' },
      { label: 'Other', href: 'https://other.example/' },
    ],
    logo: { src: '/assets/logo.svg', width: 120, height: 36 },
    accent: { light: '#0A7D5C', dark: '#39C79F' },
    locale: 'ar',
    timeZone: 'Africa/Cairo',
    pageSize: 7,
  };
  const { site } = await load(t, said);
  t.like(site, said);
  t.like((await load(t, {})).site, { title: 'A Pressmark site', timeZone: 'UTC', pageSize: 20 });
  t.is((await load(t, false)).site, false);
});

const WRONG: [site: unknown, says: RegExp][] = [
  [{ accent: 'teal' }, /site\.accent must be a colour such as #0a7d5c/],
  [{ accent: '#12345' }, /site\.accent must be a colour/],
  [{ language: 'plain English' }, /site\.language must be a language tag/],
  [{ locale: '?' }, /site\.locale must be a language tag/],
  [{ timeZone: 'Vienna' }, /site\.timeZone must be a time zone such as Europe\/Vienna/],
  [{ pageSize: 0 }, /site\.pageSize /],
  [{ logo: 'https://other.example/logo.png' }, /site\.logo must be a path on the site/],
  [{ logo: '//other.example/logo.png' }, /site\.logo must be a path on the site/],
  [{ logo: 3 }, /site\.logo must be a path on the site such as .* or \{ src, width, height \}/],
  [{ logo: { src: '/logo.svg' } }, /site\.logo\.width /],
  [{ navigation: [{ label: 'x', href: 'javascript:alert(1)' }] }, /site\.navigation\.0\.href must be a path/],
  [{ navigation: [{ label: '', href: '/' }] }, /site\.navigation\.0\.label /],
  [
    { navigation: [{ label: 'x', href: '/', target: '_blank' }] },
    /there is no setting "site\.navigation\.0\.target"/,
  ],
  [{ titel: 'x' }, /there is no setting "site\.titel"; did you mean title\?/],
  [true, /site must be false, or \{ title, language, … \}/],
];

for (const [site, says] of WRONG)
  test(`${JSON.stringify({ site })} is refused in words that help`, async (t) => {
    await t.throwsAsync(load(t, site), { code: 'CONFIG_INVALID', message: says });
  });

test('docs/configuration.md has every setting of the site', (t) => {
  const page = fs.readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `site\.(\w+)` \|/gm)].map(([, key]) => key);
  t.deepEqual(rows.sort(), Object.keys(siteSchema.shape).sort());
});
