import test from 'ava';
import { directionOf, localeOf } from '../../../../src/site/render/site-info.js';

test('a language is written in the direction of its script; a text that is not a language tag counts as English', (t) => {
  for (const language of 'ar he ckb az-Arab'.split(' ')) t.is(directionOf(language), 'rtl', language);
  for (const language of 'en zh-Hant az fa-Latn'.split(' ')) t.is(directionOf(language), 'ltr', language);
  t.is(localeOf('DE-at'), 'de-AT');
  t.is(localeOf('not a language'), 'en');
});
