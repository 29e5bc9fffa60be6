import test from 'ava';
import { keyPath } from '../../../../src/article/format/key-path.js';

const URL = 'https://images.example/a.jpg';

test('a text is written where the path says, and read there', (t) => {
  for (const [path, key, value] of [
    ['image', 'image', URL],
    ['images[]', 'images', [URL]],
    ['cover.image', 'cover', { image: URL }],
    ['bigimg[].src', 'bigimg', [{ src: URL }]],
  ] as const) {
    const at = keyPath(path);
    t.is(at.key, key);
    t.deepEqual(at.write(URL), value);
    t.is(at.read(value), URL);
  }
});

test('a map keeps what else it holds', (t) => {
  t.deepEqual(keyPath('cover.image').write(URL, { image: 'old.jpg', alt: 'A hive', hidden: true }), {
    image: URL,
    alt: 'A hive',
    hidden: true,
  });
  t.deepEqual(keyPath('bigimg[].src').write(URL, [{ src: 'old.jpg', desc: 'A hive' }, { src: 'b.jpg' }]), [
    { src: URL, desc: 'A hive' },
  ]);
});

test('a value of another form is read as it is', (t) => {
  t.is(keyPath('image').read({ path: URL, alt: 'x' }), URL);
  t.is(keyPath('cover.image').read(URL), URL);
  t.is(keyPath('images[]').read([]), null);
  for (const value of [undefined, null, 3, {}, { other: URL }, new Date(0)])
    t.is(keyPath('image').read(value), null);
});
