import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import {
  type AddressRecord,
  parseAddresses,
  readAddresses,
  writeAddresses,
} from '../../../src/store/addresses.js';
import { tempDir } from '../../support/temp-dir.js';

const SOIL: AddressRecord = {
  kind: 'proven',
  path: 'soil.md',
  digest: 'd1',
  address: '/soil/',
  moves: false,
};
const LIST: AddressRecord = { kind: 'unproven', path: 'list.md', digest: 'd2', reason: 'no page' };

test('proven addresses are read as they were written', async (t) => {
  const path = join(tempDir(t), 'state/addresses.json');
  await writeAddresses(path, { configDigest: 'c', records: [SOIL, LIST] });
  const addresses = readAddresses(path);
  t.like(addresses.get('soil.md'), { digest: 'd1', address: '/soil/', moves: false });
  t.is(addresses.get('list.md'), undefined);
  t.is(addresses.get('other.md'), undefined);
  t.is(readAddresses(path).version, addresses.version);
  await writeAddresses(path, { configDigest: 'c', records: [] });
  t.not(readAddresses(path).version, addresses.version);
});

test('addresses that were proven under another configuration do not count', async (t) => {
  const path = join(tempDir(t), 'addresses.json');
  await writeAddresses(path, { configDigest: 'c', records: [SOIL] });
  t.is(readAddresses(path, 'another').get('soil.md'), undefined);
  t.is(readAddresses(path, 'c').get('soil.md')?.address, '/soil/');
});

test('a missing or malformed file holds no addresses', (t) => {
  const path = join(tempDir(t), 'addresses.json');
  t.is(readAddresses(path).get('soil.md'), undefined);
  const whole = { version: 1, configDigest: 'c', records: [SOIL] };
  t.deepEqual(parseAddresses(JSON.stringify(whole))?.records, [SOIL]);
  for (const value of [
    null,
    [],
    { ...whole, version: 2 },
    { ...whole, records: {} },
    { ...whole, configDigest: 1 },
    { ...whole, records: [{ ...SOIL, address: 'soil' }] },
    { ...whole, records: [{ ...SOIL, moves: 1 }] },
    { ...whole, records: [null] },
  ])
    t.is(parseAddresses(JSON.stringify(value)), undefined, JSON.stringify(value));
  fs.writeFileSync(path, '{"version":1,"rec');
  t.is(readAddresses(path).get('soil.md'), undefined);
});
