import test from 'ava';
import { termKey, termNames, trimmedName } from '../../../src/article/names.js';

test('blanks and invisible characters go at the ends of a name, and nothing else; names are in NFC', (t) => {
  for (const unseen of ' \n\u00a0\u200b\u200e\u3164\ufeff\ufff9')
    t.is(trimmedName(`${unseen}${unseen}Bee${unseen}keeping${unseen}`), `Bee${unseen}keeping`);
  t.is(trimmedName('\u202aסוללה\u202c'), 'סוללה', 'as messengers copy it');
  t.is(trimmedName('C \u2067שלום\u2069'), 'C \u2067שלום\u2069', 'half a pair would turn the line');
  for (const seen of ['Bees ❤\ufe0f', '👩\u200d🌾']) t.is(trimmedName(seen), seen);
  t.is(trimmedName('Cafe\u0301'), 'Café');
  t.is(termKey('CAFE\u0301 \t noir'), termKey('café noir'));
});

test('tags are each there once, in their first spelling, and no empty one', (t) => {
  const given = ['Soil', 'soil\u200b', ' SOIL', '\ufeff', '', 'top  soil', 'Top soil'];
  t.deepEqual(termNames(given), ['Soil', 'top soil']);
});
