import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { hashPassword, isPassword } from '../../../../src/admin/access/passwords.js';
import { createSessions } from '../../../../src/admin/access/sessions.js';
import { createUsers } from '../../../../src/admin/access/users.js';
import { openStorage } from '../../../../src/host/storage.js';
import { tempDir } from '../../../support/temp-dir.js';

const DAY_MS = 86_400_000;
const PASSWORD = 'a hive of twelve bees';

/** Users and sessions as two receivers on one folder have them, at a time that the test sets. */
function twoReceivers(t: Parameters<typeof tempDir>[0]) {
  const dir = tempDir(t);
  const clock = { now: Date.parse('2026-11-26T12:00:00Z') };
  const receiver = () => {
    const storage = openStorage('admin', join(dir, 'admin'), () => clock.now);
    const users = createUsers(storage, { now: () => clock.now, cost: 2 });
    return { users, sessions: createSessions(storage, users) };
  };
  return { clock, dir, here: receiver(), there: receiver() };
}

test('a session ends with the user, with a change of the password and after 14 days, at every receiver', async (t) => {
  const { clock, here, there } = twoReceivers(t);
  const { user } = await here.users.invite('Ada', { role: 'admin', email: 'ada@example.com' });
  t.deepEqual(user, { name: 'Ada', role: 'admin', email: 'ada@example.com' });
  const found = async () => {
    const user = await here.users.find('ada');
    if (user === undefined) throw new Error('there is no such user');
    return user;
  };
  const begun = async () => {
    const secret = await here.sessions.begin(await found());
    t.like(await there.sessions.userOf(secret), { name: 'Ada', role: 'admin' });
    return secret;
  };
  const first = await begun();
  clock.now += 14 * DAY_MS - 1;
  t.truthy(await there.sessions.userOf(first));
  clock.now += 1;
  t.is(await there.sessions.userOf(first), undefined);

  const second = await begun();
  await there.users.setPassword(await found(), PASSWORD);
  t.is(await here.sessions.userOf(second), undefined);

  const third = await begun();
  await here.sessions.end(third);
  t.is(await there.sessions.userOf(third), undefined);

  const fourth = await begun();
  t.true(await there.users.remove('ADA'));
  t.is(await here.sessions.userOf(fourth), undefined);
  await here.users.invite('Ada');
  t.is(await here.sessions.userOf(fourth), undefined, 'one who has the same name later is somebody else');
  t.is(await here.sessions.userOf('made up'), undefined);
});

test('a password that is changed while an earlier one is being checked opens no session, and changes no password', async (t) => {
  const { here, there } = twoReceivers(t);
  const { token } = await here.users.invite('ada');
  await here.users.accept(token, PASSWORD);
  const checked = await here.users.withPassword('ada', PASSWORD, false);
  if (checked === undefined) return t.fail();
  const { token: another } = await there.users.invite('ada');
  await there.users.accept(another, 'the words of the owner');
  t.is(await here.sessions.userOf(await here.sessions.begin(checked)), undefined);
  t.is(await here.users.setPassword(checked, 'the words of a thief'), undefined);
  t.truthy(await here.users.withPassword('ada', 'the words of the owner', false));
});

test('a link is over after a day, with the next one, and when it was used', async (t) => {
  const { clock, here, there } = twoReceivers(t);
  const first = await here.users.invite('ada');
  clock.now += DAY_MS;
  t.is(await there.users.accept(first.token, PASSWORD), undefined);
  const second = await here.users.invite('ada');
  const third = await there.users.invite('ada');
  t.is(await here.users.accept(second.token, PASSWORD), undefined);
  const accept = ({ users }: typeof here) => users.accept(third.token, PASSWORD);
  const both = await Promise.all([accept(here), accept(there)]);
  t.is(both.filter((user) => user === undefined).length, 1, 'of two at the same time one works');
  t.like(both[0] ?? both[1], { name: 'ada', role: 'editor' });
  t.is(await there.users.accept(third.token, 'another password'), undefined);
  t.truthy(await there.users.withPassword('ada', PASSWORD, false));
  await here.users.invite('ada');
  t.truthy(
    await there.users.withPassword('ada', PASSWORD, false),
    'a new link leaves the password until it is used',
  );
});

test('neither passwords nor tokens are on the disk', async (t) => {
  const { dir, here } = twoReceivers(t);
  const { token } = await here.users.invite('ada');
  const link = JSON.stringify(await here.users.list());
  const user = await here.users.accept(token, PASSWORD);
  if (user === undefined) return t.fail();
  const secret = await here.sessions.begin(user);
  const kept = fs
    .readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => path.endsWith('.json'));
  t.true(kept.length >= 2);
  for (const path of kept) {
    const text = fs.readFileSync(path, 'utf8');
    for (const hidden of [PASSWORD, token, secret]) t.false(text.includes(hidden), path);
    t.is(fs.statSync(path).mode & 0o077, 0, path);
  }
  t.false(link.includes(token));
});

test('names are letters of any script, and no path, markup or secret key', async (t) => {
  const { users } = twoReceivers(t).here;
  for (const name of ['Ada Lovelace', "o'brien", '李', 'ada@example.com'])
    t.is((await users.invite(name)).user.name, name);
  for (const name of [' ', '../x', '<b>', 'a\nb', '-a', 'x'.repeat(65), 'a\u202eb'])
    await t.throwsAsync(users.invite(name), { code: 'USAGE' }, JSON.stringify(name));
  await t.throwsAsync(users.invite('ada', { email: 'a b@c' }), { code: 'USAGE' });
  t.is(await users.find('__proto__'), undefined);
});

test('a password that nobody has is hashed as one that somebody has', async (t) => {
  const kept = await hashPassword(PASSWORD, 2);
  t.true(await isPassword(PASSWORD, kept, false));
  t.false(await isPassword(`${PASSWORD}.`, kept, false));
  // Hashing takes some hundred ms of processor time; without it, the answer would take none.
  const before = process.cpuUsage();
  t.false(await isPassword('x', undefined, false));
  t.true(process.cpuUsage(before).user > 20_000);
});

test('of two admins who remove or demote each other at once one stays, and one without a password does not count', async (t) => {
  const { here, there } = twoReceivers(t);
  const add = async (name: string) => {
    const { token } = await here.users.invite(name, { role: 'admin' });
    await here.users.accept(token, PASSWORD);
  };
  const admins = async () => (await here.users.list()).filter(({ role }) => role === 'admin');
  for (const role of ['editor', undefined] as const) {
    await add('Ada');
    await add('Grace');
    const done = await Promise.all([here.users.setRole('ada', role), there.users.setRole('GRACE', role)]);
    t.deepEqual(done.toSorted(), ['done', 'last admin']);
    t.is((await admins()).length, 1);
  }
  const [{ name } = { name: '' }] = await admins();
  await here.users.invite('invited', { role: 'admin' });
  t.is(await here.users.setRole(name, undefined), 'last admin');
  t.is(await here.users.setRole('invited', undefined), 'done');
  t.is(await here.users.setRole('invited', 'editor'), 'missing');
});

test.serial(
  'strangers who keep the queue of passwords full leave places for browsers that are known',
  async (t) => {
    const kept = await hashPassword(PASSWORD, 2);
    const ask = (isKnown: boolean) => isPassword(PASSWORD, kept, isKnown);
    const strangers = Array.from({ length: 30 }, () => ask(false));
    const known = ask(true);
    const answers = await Promise.allSettled(strangers);
    t.is(answers.filter(({ status }) => status === 'rejected').length, 10);
    t.true(await known);
  },
);
