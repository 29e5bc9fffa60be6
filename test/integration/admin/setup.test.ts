import fs from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import test from 'ava';
import { adminOf } from '../../support/admin.js';
import { article } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';

const FIRST = 'the-first-secret-of-the-service';

test('setup page: a new secret counts at once, is shown once if it was made here, and the old one goes on', async (t) => {
  const dir = tempDir(t);
  storeOnly(dir);
  fs.writeFileSync(join(dir, '.env'), `PRESSMARK_SECRET=${FIRST}\n`);
  const receiver = await startHere(t, { dir, secret: FIRST, env: { PRESSMARK_SECRET: '' } });
  const admin = await adminOf(receiver);
  const page = await admin.get('setup');
  t.true(page.text.includes(`…${FIRST.slice(-4)}`));
  t.false(page.text.includes(FIRST));
  const base = /name="base" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
  const made = await admin.post('setup', { do: 'renew', base, secret: '' });
  t.is(made.status, 200);
  const { PRESSMARK_SECRET: secret = '', ...env } = parseEnv(fs.readFileSync(join(dir, '.env'), 'utf8'));
  t.is(env.PRESSMARK_OLD_SECRET, FIRST);
  t.true(made.text.includes(`value="${secret}"`));
  t.false((await admin.get('setup')).text.includes(secret));
  const short = /name="base" value="([^"]*)"/.exec(made.text)?.[1] ?? '';
  const refused = await admin.post('setup', { do: 'renew', base: short, secret: 'short' });
  t.is(refused.status, 422);
  t.regex(refused.text, /8 to 200/);
  const again = await admin.post('setup', { do: 'renew', base, secret: '' });
  t.is(again.status, 409, 'the form is sent again');
  t.is(parseEnv(fs.readFileSync(join(dir, '.env'), 'utf8')).PRESSMARK_SECRET, secret);
  for (const one of [FIRST, secret])
    t.is((await receiver.post('article.published', article({ id: one }), { secret: one })).status, 200);
  t.is((await receiver.post('article.published', article(), { secret: 'another-secret' })).status, 401);
  const audit = fs.readFileSync(join(dir, '.pressmark/plugins/admin/audit.jsonl'), 'utf8');
  t.regex(audit, /"what":"setup:renew"/);
  t.false(audit.includes(secret));
});
