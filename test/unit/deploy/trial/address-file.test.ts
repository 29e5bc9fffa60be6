import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import {
  type AddressRecord,
  readAddressFile,
  writeAddressFile,
} from '../../../../src/deploy/trial/address-file.js';
import { readAddresses } from '../../../../src/store/catalog/addresses.js';
import { tempDir } from '../../../support/temp-dir.js';

const SOIL: AddressRecord = {
  kind: 'proven',
  path: 'soil.md',
  digest: 'd1',
  address: '/soil/',
  moves: false,
};
const LIST: AddressRecord = { kind: 'unproven', path: 'list.md', digest: 'd2', reason: 'no page' };

test('what a trial has shown is read as it was written, and the store reads the proven addresses', async (t) => {
  const path = join(tempDir(t), 'state/addresses.json');
  await writeAddressFile(path, { configDigest: 'c', records: [SOIL, LIST] });
  t.deepEqual(readAddressFile(path), { configDigest: 'c', records: [SOIL, LIST] });
  t.like(readAddresses(path, () => 'c').get('soil.md'), { digest: 'd1', address: '/soil/', moves: false });
  t.is(readAddresses(path, () => 'c').get('list.md'), undefined);
  t.is(readAddresses(path, () => 'another').get('soil.md'), undefined);
});

test('a missing or malformed file shows nothing', async (t) => {
  const path = join(tempDir(t), 'addresses.json');
  t.is(readAddressFile(path), undefined);
  await writeAddressFile(path, { configDigest: 'c', records: [SOIL] });
  const whole = JSON.parse(fs.readFileSync(path, 'utf8'));
  const { kind: _, ...soil } = SOIL;
  for (const value of [
    null,
    [],
    { ...whole, version: 0 },
    { ...whole, records: {} },
    { ...whole, records: [{ ...soil, address: 'soil' }] },
    { ...whole, unproven: undefined },
    { ...whole, unproven: [{ path: 'a', digest: 'd', reason: 'toString' }] },
  ]) {
    fs.writeFileSync(path, JSON.stringify(value));
    t.is(readAddressFile(path), undefined, JSON.stringify(value));
  }
  fs.writeFileSync(path, '{"version":1,"rec');
  t.is(readAddressFile(path), undefined);
});
