import fs from 'node:fs';
import test from 'ava';
import { canonicalUrl } from '../../../src/contract/canonical-url.js';
import { sign, verify } from '../../../src/contract/signature.js';
import { STORE_ONLY } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';

interface Vectors {
  readonly 'signatures.json': {
    vectors: {
      name: string;
      secret: string;
      body: string;
      header: string | null;
      verdict: string;
      reason: string;
    }[];
  };
  readonly 'urls.json': { pairs: { a: string; b: string; same: boolean; reason: string }[] };
  readonly 'requests.json': {
    requests: {
      name: string;
      headers: Record<string, string>;
      body: string;
      status: number;
      reason: string;
    }[];
  };
}

function read<Name extends keyof Vectors>(name: Name): Vectors[Name] {
  return JSON.parse(fs.readFileSync(new URL(`../../../../vectors/${name}`, import.meta.url), 'utf8'));
}

test('signatures are made, accepted and refused as the published vectors say', (t) => {
  const { vectors } = read('signatures.json');
  t.true(vectors.length >= 38);
  for (const { name, secret, body, header, verdict, reason } of vectors) {
    const signed = verify(Buffer.from(body, 'base64'), header ?? '', [secret]);
    if (verdict !== 'either') t.is(signed, verdict === 'accept', `${name}: ${reason}`);
    if (verdict === 'accept')
      t.is<string | null, string | null>(sign(Buffer.from(body, 'base64'), secret), header, name);
  }
});

test('two URLs name the same article where the published pairs say so', (t) => {
  for (const { a, b, same, reason } of read('urls.json').pairs)
    t.is(canonicalUrl(a) === canonicalUrl(b), same, `${a} ${b}: ${reason}`);
});

const { requests } = read('requests.json');
/** The one with which the published requests are signed. */
const SECRET_OF_REQUESTS = 'a-signing-secret-of-the-vectors';

async function statusesAt(url: string): Promise<string[]> {
  const got: string[] = [];
  for (const { name, headers, body } of requests) {
    const { status } = await fetch(url, { method: 'POST', headers, body: Buffer.from(body, 'base64') });
    got.push(`${name}: ${status}`);
  }
  return got;
}

test('the published requests are answered as they say', async (t) => {
  const { origin } = await startHere(t, { ...STORE_ONLY, env: { PRESSMARK_SECRET: SECRET_OF_REQUESTS } });
  t.deepEqual(
    await statusesAt(`${origin}/webhook`),
    requests.map(({ name, status }) => `${name}: ${status}`),
  );
});
