import fs from 'node:fs';
import test from 'ava';
import { accentOf, BACKGROUNDS, contrast } from '../../../../src/site/render/accent.js';
import { fc } from '../../../support/property.js';

const css = fs.readFileSync(new URL('../../../../../templates/style.css', import.meta.url), 'utf8');

test('the contrast of two colours is that of WCAG', (t) => {
  t.is(contrast('#000000', '#ffffff'), 21);
  t.is(contrast('#ffffff', '#fff'), 1);
  t.is(Math.round(contrast('#767676', '#ffffff') * 100) / 100, 4.54);
});

test('any colour becomes one that can be read on light and on dark pages', (t) => {
  const colour = fc
    .integer({ min: 0, max: 0xffffff })
    .map((value) => `#${value.toString(16).padStart(6, '0')}`);
  fc.assert(
    fc.property(colour, (given) => {
      const accent = accentOf(given);
      for (const background of BACKGROUNDS.light) t.true(contrast(accent.light, background) >= 4.5, given);
      for (const background of BACKGROUNDS.dark) t.true(contrast(accent.dark, background) >= 4.5, given);
    }),
    { examples: [['#ffff00'], ['#ffffff'], ['#000000'], ['#0000ff'], ['#808080']] },
  );
});

test('a colour that can be read stays as it is, and its hue stays in any case', (t) => {
  t.is(accentOf('#93371f').light, '#93371f');
  t.is(accentOf('#93371F').light, '#93371f');
  t.is(accentOf('#fa0').dark, '#ffaa00');
  t.is(accentOf('#000').light, '#000000');
  t.is(accentOf('#fff').dark, '#ffffff');
});

test('the backgrounds are those of the style sheet', (t) => {
  const named = (name: string) =>
    [...css.matchAll(new RegExp(`--${name}: (#[0-9a-f]{6})`, 'g'))].map((found) => found[1]);
  const [light, dark] = [named('paper'), named('tint')];
  t.deepEqual([light[0], dark[0]], [...BACKGROUNDS.light]);
  t.deepEqual([light[1], dark[1]], [...BACKGROUNDS.dark]);
});
