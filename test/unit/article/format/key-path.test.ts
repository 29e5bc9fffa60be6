import test from 'ava';
import { authorPath, keyPath } from '../../../../src/article/format/key-path.js';

const URL = 'https://images.example/a.jpg';

test('a text is written where the path says, and read there', (t) => {
  for (const [path, key, value] of [
    ['image', 'image', URL],
    ['images[]', 'images', [URL]],
    ['cover.image', 'cover', { image: URL }],
    ['bigimg[].src', 'bigimg', [{ src: URL }]],
    ['cover.images[]', 'cover', { images: [URL] }],
  ] as const) {
    const at = keyPath(path);
    t.is(at.key, key);
    t.deepEqual(at.write(URL), value);
    t.is(at.read(value), URL);
  }
});

test('a map and a list keep what else they hold, and a value of another form is read and keeps it', (t) => {
  const map = { src: 'a.jpg', alt: 'A hive' };
  for (const [path, previous, value] of [
    ['cover.image', { image: 'old.jpg', alt: 'A hive' }, { image: URL, alt: 'A hive' }],
    ['bigimg[].src', [map, { src: 'b.jpg' }], [{ ...map, src: URL }, { src: 'b.jpg' }]],
    ['image', map, { ...map, src: URL }],
    ['image', ['a.jpg', 'b.jpg'], [URL, 'b.jpg']],
  ] as const) {
    t.deepEqual(keyPath(path).write(URL, previous), value as unknown);
    t.is(keyPath(path).read(value), URL);
  }
  t.is(keyPath('cover.image').read(URL), URL);
  for (const value of [undefined, null, 3, [], { other: URL }]) t.is(keyPath('image').read(value), null);
});

test('of an author that the site knows, the key stands in the file; of any other, the name', (t) => {
  const authors = { 'Marta Oak': 'marta', 'Zoë Elm': 'zoe' };
  const at = authorPath('authors[].name', authors);
  t.deepEqual(at.write('Marta Oak', [{ name: 'Old', url: 'https://x.example' }, 'zoe']), ['marta', 'zoe']);
  t.deepEqual(at.write(' zoe\u0308  ELM '), ['zoe']);
  t.deepEqual(at.write('Guest', ['marta']), [{ name: 'Guest' }]);
  t.is(at.read(['marta', 'zoe']), 'Marta Oak');
  t.is(at.read(['nobody']), 'nobody');
  t.is(at.read([{ name: 'marta' }]), 'marta', 'a name is no key');
  t.is(authorPath('author', {}).read({ url: 'https://x.example', name: 'Guest' }), 'Guest');
  t.is(authorPath('author', authors).write('Marta Oak'), 'marta');
  t.is(authorPath('author', authors, true).write('Guest'), undefined);
});
