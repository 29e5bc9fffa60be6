import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { adminOf, ask, sendForm, usersOf } from '../../support/admin.js';
import { sharedHere, startHere } from '../../support/receiver-here.js';

const receiver = sharedHere(test, { storeOnly: true });
const PASSWORD = 'a hive of twelve bees';

test('without a user there is no admin: the path is any other that is missing', async (t) => {
  const { origin } = await startHere(t, { storeOnly: true });
  for (const path of ['', 'login', 'style.css', 'welcome?token=x'])
    t.is((await ask(origin, path)).status, 404, path);
});

test('a link sets a password once; it is only looked at by whoever opens it', async (t) => {
  const { origin, dir } = receiver();
  const { token } = await usersOf(dir).invite('Grace Hopper');
  const path = `welcome?token=${token}`;
  t.regex((await ask(origin, path)).text, /Welcome, Grace Hopper/);
  const short = await sendForm(origin, path, { password: 'short', again: 'short' });
  t.is(short.status, 422);
  t.regex(short.text, /at least 12 characters/);
  t.is((await sendForm(origin, path, { password: PASSWORD, again: 'another' })).status, 422);
  const set = await sendForm(origin, path, { password: PASSWORD, again: PASSWORD });
  t.is(set.status, 303);
  t.is(set.headers.get('location'), '/-/admin/');
  const again = await sendForm(origin, path, {
    password: 'the words of a thief',
    again: 'the words of a thief',
  });
  t.is(again.status, 403);
  t.regex(again.text, /has been used/);
  t.is(
    (await sendForm(origin, 'login', { name: 'grace hopper', password: 'the words of a thief' })).status,
    401,
  );
  const login = await sendForm(origin, 'login', { name: 'grace hopper', password: PASSWORD });
  t.is(login.status, 303);
  const audit = fs.readFileSync(join(dir, '.pressmark/plugins/admin/audit.jsonl'), 'utf8');
  t.regex(audit, /"who":"Grace Hopper","from":"127\.0\.0\.1","what":"welcome"/);
  t.regex(audit, /"who":"Grace Hopper","from":"127\.0\.0\.1","what":"login"/);
  t.notRegex(audit, /hive/);
});

test('an admin who is logged in sees the overview, and after a removal nothing', async (t) => {
  const { origin } = receiver();
  const admin = await adminOf(receiver(), { name: 'leaving' });
  const page = await admin.get('');
  t.is(page.status, 200);
  t.regex(page.text, /<h1>Overview<\/h1>/);
  t.true(await admin.users.remove('leaving'));
  const after = await admin.get('account?x=1');
  t.is(after.status, 303);
  t.is(after.headers.get('location'), '/-/admin/login?next=account%3Fx%3D1');
  t.is((await ask(origin, '')).headers.get('location'), '/-/admin/login');
});

test('a link from elsewhere, with which no cookie comes, is followed once more by the page itself', async (t) => {
  const { origin } = receiver();
  await adminOf(receiver(), { name: 'ada' });
  const from = (site: string, path = 'account?x=1') =>
    ask(origin, path, { headers: { 'Sec-Fetch-Site': site } });
  const elsewhere = await from('cross-site');
  t.is(elsewhere.status, 200);
  t.is(elsewhere.headers.get('refresh'), '0; url=/-/admin/account?x=1');
  t.notRegex(elsewhere.text, /name="current"/);
  t.is((await from('same-origin')).status, 303);
  t.is((await from('cross-site', 'nothing')).status, 303);
});
