import test from 'ava';
import { termKey, termNames, trimmedName } from '../../../src/article/names.js';

test('blanks and invisible characters go at the ends of a name, and nothing else', (t) => {
  for (const unseen of ' \n\u0007\u00a0\u00ad\u034f\u200b\u200e\u2060\u3164\ufeff\ufff9')
    t.is(trimmedName(`${unseen}${unseen}Bee${unseen}keeping${unseen}`), `Bee${unseen}keeping`);
  t.is(trimmedName('\ufeff \u200b\n'), '');
  t.is(trimmedName('\u202aסוללה\u202c'), 'סוללה', 'as messengers copy it');
  t.is(
    trimmedName('C \u2067שלום\u2069'),
    'C \u2067שלום\u2069',
    'half a pair would turn the rest of the line',
  );
  const flag = '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';
  for (const seen of ['Bees ❤\ufe0f', '👩\u200d🌾', flag]) t.is(trimmedName(seen), seen);
});

test('names are in NFC', (t) => {
  t.is(trimmedName('Cafe\u0301'), 'Café');
  t.is(termKey('CAFE\u0301 \t noir'), termKey('café noir'));
});

test('tags are each there once, in their first spelling, and no empty one', (t) => {
  t.deepEqual(termNames(['Soil', 'soil\u200b', ' SOIL', '\ufeff', '', 'top  soil', 'Top soil']), [
    'Soil',
    'top soil',
  ]);
});
