import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import {
  type AddressFile,
  readAddressFile,
  writeAddressFile,
} from '../../../../../src/app/build/addresses/address-file.js';
import { readAddresses } from '../../../../../src/store/catalog/addresses.js';
import { tempDir } from '../../../../support/temp-dir.js';

const FILE: AddressFile = {
  config: 'c',
  posts: 'p',
  listed: [{ path: 'soil.md', digest: 'd1', address: '/soil/' }],
  unlisted: [{ path: 'list.md', reason: 'no page' }],
  contradiction: 'the rule is another one',
};

test('what the generator has listed is read as it was written, by the store too', async (t) => {
  const path = join(tempDir(t), 'state/addresses.json');
  const known = readAddresses(path);
  t.is(known.get('soil.md'), undefined);
  const before = known.version;
  await writeAddressFile(path, FILE);
  t.deepEqual(readAddressFile(path), FILE);
  t.like(known.get('soil.md'), { digest: 'd1', address: '/soil/' });
  t.is(known.get('list.md'), undefined);
  t.is(known.contradiction, 'the rule is another one');
  t.not(known.version, before);
});

test('a missing or malformed file shows nothing', async (t) => {
  const path = join(tempDir(t), 'addresses.json');
  t.is(readAddressFile(path), undefined);
  await writeAddressFile(path, FILE);
  const whole = JSON.parse(fs.readFileSync(path, 'utf8'));
  for (const value of [
    null,
    [],
    { ...whole, listed: {} },
    { ...whole, listed: [{ ...FILE.listed[0], address: 'soil' }] },
    { ...whole, unlisted: undefined },
    { ...whole, contradiction: 1 },
  ]) {
    fs.writeFileSync(path, JSON.stringify(value));
    t.is(readAddressFile(path), undefined, JSON.stringify(value));
  }
  fs.writeFileSync(path, '{"config":"c","lis');
  t.is(readAddressFile(path), undefined);
});
