import test from 'ava';
import { sign, verify } from '../../../src/contract/signature.js';

// Golden values, made with openssl, are those of the published vectors: see vectors.test.ts.

test('a signature is accepted with its secret among others, also in capitals; with no secret and with blanks it is not', (t) => {
  const body = Buffer.from('{}');
  const header = sign(body, 'secret');
  for (const given of [header, header.toUpperCase()])
    for (const secrets of [
      ['other', 'secret'],
      ['secret', 'other'],
    ])
      t.true(verify(body, given, secrets));
  t.false(verify(body, header, []));
  for (const given of [`${header}\n`, ` ${header}`, `${header}, ${header}`])
    t.false(verify(body, given, ['secret']), JSON.stringify(given));
});
