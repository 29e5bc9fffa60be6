import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { adminOf } from '../../support/admin.js';
import { runHere } from '../../support/in-process.js';
import { sharedHere } from '../../support/receiver-here.js';

const receiver = sharedHere(test, { storeOnly: true });

const logOf = (dir: string) => join(dir, '.pressmark/plugins/admin/audit.jsonl');
const recordsIn = (dir: string): Record<string, string>[] =>
  fs
    .readFileSync(logOf(dir), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test.serial('audit log: what cannot be noted is not done', async (t) => {
  const { dir } = receiver();
  const admin = await adminOf(receiver());
  fs.mkdirSync(logOf(dir));
  t.is((await admin.post('account', { do: 'language', language: 'de' })).status, 500);
  t.is((await admin.users.find('ada'))?.language, undefined);
  fs.rmdirSync(logOf(dir));
  t.is((await admin.post('account', { do: 'language', language: 'de' })).status, 303);
  t.is((await admin.users.find('ada'))?.language, 'de');
  t.like(recordsIn(dir), [{ who: 'ada', what: 'account:language' }]);
});

test.serial(
  'audit log: users that commands add and remove are in it, and admins read it on a page',
  async (t) => {
    const { dir } = receiver();
    const admin = await adminOf(receiver(), { name: 'cy' });
    for (const words of [
      ['add', 'eve', '--role', 'admin'],
      ['remove', 'eve'],
    ])
      t.is((await runHere(['admin', ...words, '--dir', dir])).code, 0);
    t.like(recordsIn(dir).slice(-2), [
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
  },
);
