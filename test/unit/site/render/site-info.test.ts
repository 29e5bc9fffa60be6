import test from 'ava';
import { directionOf, localeOf } from '../../../../src/site/render/site-info.js';

test('a language is written in the direction of its script', (t) => {
  for (const language of 'ar he fa ur yi ps sd ug ckb dv ar-EG az-Arab pa-PK'.split(' '))
    t.is(directionOf(language), 'rtl', language);
  for (const language of 'en de-AT ja zh-Hant hi tr az ru el pa fa-Latn'.split(' '))
    t.is(directionOf(language), 'ltr', language);
});

test('a text that is not a language tag counts as English', (t) => {
  t.is(localeOf('DE-at'), 'de-AT');
  t.is(localeOf('not a language'), 'en');
});
