import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { adminOf, sendForm } from '../../support/admin.js';
import { runHere } from '../../support/in-process.js';
import { startHere } from '../../support/receiver-here.js';

const logOf = (dir: string) => join(dir, '.pressmark/plugins/admin/audit.jsonl');
const recordsIn = (dir: string): Record<string, string>[] =>
  fs
    .readFileSync(logOf(dir), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('audit log: failed logins are in it, with the names of users alone', async (t) => {
  const { origin, dir } = await startHere(t, { storeOnly: true });
  await adminOf({ origin, dir });
  t.is((await sendForm(origin, 'login', { name: 'Ada', password: 'a wrong password' })).status, 401);
  t.is((await sendForm(origin, 'login', { name: 'my own password', password: 'x' })).status, 401);
  const common = { from: '127.0.0.1', what: 'login', refused: 'a wrong name or password' };
  t.like(recordsIn(dir), [
    { ...common, who: 'ada' },
    { ...common, who: '' },
  ]);
  t.is(recordsIn(dir).length, 2);
});

test('audit log: what cannot be noted is not done', async (t) => {
  const receiver = await startHere(t, { storeOnly: true });
  const admin = await adminOf(receiver);
  fs.mkdirSync(logOf(receiver.dir));
  t.is((await admin.post('account', { do: 'language', language: 'de' })).status, 500);
  t.is((await admin.users.find('ada'))?.language, undefined);
  fs.rmdirSync(logOf(receiver.dir));
  t.is((await admin.post('account', { do: 'language', language: 'de' })).status, 303);
  t.is((await admin.users.find('ada'))?.language, 'de');
  t.like(recordsIn(receiver.dir), [{ who: 'ada', what: 'account:language' }]);
});

test('audit log: users that commands add and remove are in it, and admins read it on a page', async (t) => {
  const receiver = await startHere(t, { storeOnly: true });
  const { dir } = receiver;
  const admin = await adminOf(receiver);
  const editor = await adminOf(receiver, { name: 'bo', role: 'editor' });
  for (const words of [
    ['add', 'eve', '--role', 'admin'],
    ['remove', 'eve'],
  ])
    t.is((await runHere(['admin', ...words, '--dir', dir])).code, 0);
  t.like(recordsIn(dir), [
    { from: 'terminal', what: 'users:add', about: 'eve admin' },
    { from: 'terminal', what: 'users:remove', about: 'eve' },
  ]);
  await admin.post('users', { do: 'remove', name: '<b>nobody</b>' });
  const page = await admin.get('users/log');
  t.is(page.status, 200);
  t.regex(
    page.text,
    /users:remove[\s\S]*&lt;b&gt;nobody&lt;\/b&gt;[\s\S]*users:remove[\s\S]*users:add[\s\S]*eve admin/,
  );
  t.is((await editor.get('users/log')).status, 403);
});
