import fs from 'node:fs';
import test from 'ava';
import { canonicalUrl } from '../../../src/contract/canonical-url.js';
import { sign, verify } from '../../../src/contract/signature.js';
import { STORE_ONLY } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';

/** Bodies are in base64. */
interface Vectors {
  readonly vectors: {
    name: string;
    secret: string;
    body: string;
    header: string | null;
    verdict: string;
    reason: string;
  }[];
  readonly pairs: { a: string; b: string; same: boolean; reason: string }[];
  readonly requests: { name: string; headers: Record<string, string>; body: string; status: number }[];
}

const read = (name: string): Vectors =>
  JSON.parse(fs.readFileSync(new URL(`../../../../vectors/${name}.json`, import.meta.url), 'utf8'));

test('signatures are made, accepted and refused as the published vectors say', (t) => {
  const { vectors } = read('signatures');
  t.true(vectors.length >= 38);
  for (const { name, secret, body, header, verdict, reason } of vectors) {
    const bytes = Buffer.from(body, 'base64');
    if (verdict !== 'either')
      t.is(verify(bytes, header ?? '', [secret]), verdict === 'accept', `${name}: ${reason}`);
    if (verdict === 'accept') t.is<string | null, string | null>(sign(bytes, secret), header, name);
  }
});

test('two URLs name the same article where the published pairs say so', (t) => {
  for (const { a, b, same, reason } of read('urls').pairs)
    t.is(canonicalUrl(a) === canonicalUrl(b), same, `${a} ${b}: ${reason}`);
});

test('the published requests are answered as they say', async (t) => {
  const secret = 'a-signing-secret-of-the-vectors';
  const { origin } = await startHere(t, { ...STORE_ONLY, env: { PRESSMARK_SECRET: secret } });
  for (const { name, headers, body, status } of read('requests').requests) {
    const bytes = Buffer.from(body, 'base64');
    const answer = await fetch(`${origin}/webhook`, { method: 'POST', headers, body: bytes });
    t.is(answer.status, status, name);
  }
});
