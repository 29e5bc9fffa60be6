import test from 'ava';
import { filesOfAddress } from '../../../../src/article/address/files-of-address.js';
import { addressBelow, addressesOfFile, encodedAddress } from '../../../../src/deploy/build/pages.js';
import { fc } from '../../../support/property.js';

test('an address names the files that static hosts show for it', (t) => {
  t.deepEqual(filesOfAddress('/'), ['index.html']);
  t.deepEqual(filesOfAddress('/blog/x/'), ['blog/x/index.html']);
  t.deepEqual(filesOfAddress('/blog/x.html'), ['blog/x.html', 'blog/x.html/index.html']);
  t.deepEqual(filesOfAddress('/blog/v1.2'), ['blog/v1.2', 'blog/v1.2.html', 'blog/v1.2/index.html']);
  t.deepEqual(filesOfAddress('/x/?page=2#top'), ['x/index.html']);
});

test('no address leads out of the output folder', (t) => {
  for (const address of String.raw`/a/../../x /%2e%2e/x/ /a%2f..%2fx/ /a\..\x/ //x/ x/ /%00/ /100%/`.split(
    ' ',
  ))
    t.deepEqual(filesOfAddress(address), [], address);
});

test('a link is an address below the site’s base path, or none', (t) => {
  const below = (url: string) => addressBelow('https://example.com/base', url);
  t.is(below('https://example.com/base/x/'), '/x/');
  t.is(below('/base/x/?a=1#b'), '/x/');
  t.is(below('https://example.com/base'), '/');
  t.is(below('https://example.com/basement/'), undefined);
  t.is(below('https://example.org/base/x/'), undefined);
  t.is(below('http://['), undefined);
});

test('the address of a file leads back to it', (t) => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    .filter(
      (text) => !/[/\\\0]/.test(text) && !['.', '..', 'index.html'].includes(text) && text.isWellFormed(),
    );
  t.notThrows(() =>
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('/index.html', '.html'),
        (names, end) => {
          const file = `${names.join('/')}${end}`;
          const [address = ''] = addressesOfFile(file);
          return (
            filesOfAddress(address).includes(file) &&
            encodedAddress(address) === address &&
            new URL(address, 'https://example.com').pathname === address
          );
        },
      ),
    ),
  );
});
