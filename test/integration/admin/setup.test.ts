import fs from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import test from 'ava';
import { addUser, adminOf, ask } from '../../support/admin.js';
import { article } from '../../support/events.js';
import { launchHere, startHere } from '../../support/receiver-here.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const FIRST = 'the-first-secret-of-the-service';

test('setup page: it waits for the connection test, and knows it after a restart', async (t) => {
  const dir = tempDir(t);
  const receiver = await launchHere(dir, { storeOnly: true });
  t.teardown(() => receiver.close());
  const admin = await adminOf(receiver);
  const before = await admin.get('setup');
  t.regex(before.text, /Waiting for the connection test/);
  t.true(before.text.includes('value="https://garden.example/webhook"'));
  t.regex(before.text, /from the environment|set in the environment/);
  const data = { id: 't-1', message: 'Hello', capabilities: [] };
  t.is((await receiver.post('webhook.test', data)).status, 200);
  await until('it is connected', async () => /Connected/.test((await admin.get('setup')).text));
  await receiver.close();
  const next = await startHere(t, { dir });
  t.regex((await (await adminOf(next)).get('setup')).text, /Connected/);
});

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

test('users page: a user is added by a link that works once, changed and removed, and the last admin stays', async (t) => {
  const receiver = await startHere(t, { storeOnly: true });
  const admin = await adminOf(receiver);
  t.is((await admin.post('users', { do: 'remove', name: 'ada' })).status, 409);
  t.is((await admin.post('users', { do: 'role', name: 'ada', role: 'editor' })).status, 409);
  await addUser(receiver.dir, 'owner', 'a hive of twelve bees', 'admin');
  const fields = { do: 'add', name: 'Grace Hopper', email: 'grace@garden.example', role: 'editor' };
  const added = await admin.post('users', fields);
  t.is(added.status, 200);
  const [, link = ''] = /value="([^"]*welcome[^"]*)"/.exec(added.text) ?? [];
  t.true(link.startsWith(`http://localhost:${receiver.port}/-/admin/welcome?token=`), link);
  const welcome = await ask(receiver.origin, link.slice(link.indexOf('welcome')));
  t.regex(welcome.text, /Welcome, Grace Hopper/);
  t.is((await admin.post('users', fields)).status, 409);
  const wrong = await admin.post('users', { ...fields, name: '<b>' });
  t.is(wrong.status, 422);
  t.regex(wrong.text, /cannot be a user’s name/);
  t.is((await admin.post('users', { do: 'role', name: 'Grace Hopper', role: 'admin' })).status, 303);
  t.like(await admin.users.find('grace hopper'), { role: 'admin', email: 'grace@garden.example' });
  t.is((await admin.post('users', { do: 'remove', name: 'Grace Hopper' })).status, 303);
  t.is(await admin.users.find('Grace Hopper'), undefined);
  t.notRegex((await admin.get('users')).text, /Grace/);
});
