import fs from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { openSecrets } from '../../../src/app/secrets.js';
import { loadSettings } from '../../../src/config/load.js';
import type { PressmarkError } from '../../../src/errors.js';
import { bareEnvironment } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

const DAY = 86_400_000;

/** A site with a `.env`, whose clock the test sets. */
function siteOf(t: ExecutionContext, env: string) {
  const dir = tempDir(t);
  const path = join(dir, '.env');
  fs.mkdirSync(join(dir, '.pressmark'));
  fs.writeFileSync(path, env, { mode: 0o644 });
  const clock = { time: Date.now() };
  const open = async (variables: Record<string, string> = {}) =>
    openSecrets(await loadSettings(dir, {}, { ...bareEnvironment(), ...variables }), () => clock.time);
  return { dir, path, clock, open, text: () => fs.readFileSync(path, 'utf8') };
}

test('secrets: a new one counts at once and after a restart, and the one before it for a day', async (t) => {
  const { clock, open, text, path } = siteOf(t, '# mine\nPRESSMARK_SECRET=the-first-secret\nOTHER=x # y\n');
  const secrets = await open();
  t.deepEqual(secrets.now(), ['the-first-secret']);
  const made = await secrets.renew();
  t.regex(made, /^[\w-]{43}$/);
  t.deepEqual(secrets.now(), [made, 'the-first-secret']);
  t.is(secrets.oldUntil, new Date(clock.time + DAY).toISOString());
  t.is(
    text(),
    `# mine\nPRESSMARK_SECRET=${made}\nOTHER=x # y\nPRESSMARK_OLD_SECRET=the-first-secret\nPRESSMARK_OLD_SECRET_UNTIL=${secrets.oldUntil}\n`,
  );
  t.is(fs.statSync(path).mode & 0o777, 0o600);
  t.deepEqual((await open()).now(), [made, 'the-first-secret']);
  clock.time += DAY - 1;
  t.is(secrets.now().length, 2);
  clock.time += 1;
  t.deepEqual(secrets.now(), [made]);
  t.is(secrets.oldUntil, undefined);
});

test('secrets: what is live stays live where several new ones come within a day, and one comes back', async (t) => {
  const { open, text } = siteOf(t, 'PRESSMARK_SECRET=secret-a,secret-b\n');
  const secrets = await open();
  await secrets.renew('secret-c');
  await secrets.renew('secret-a');
  t.like(parseEnv(text()), { PRESSMARK_SECRET: 'secret-a', PRESSMARK_OLD_SECRET: 'secret-c,secret-b' });
  // Where the processor is busy, the lock is not always waited for long enough.
  const renewed = (one: string): Promise<string> =>
    secrets.renew(one).catch((error: PressmarkError) => {
      if (error.code !== 'LOCK_TIMEOUT') throw error;
      return renewed(one);
    });
  const both = await Promise.all(['secret-d', 'secret-e'].map(renewed));
  t.deepEqual(both, ['secret-d', 'secret-e']);
  t.deepEqual(secrets.now().toSorted(), ['secret-a', 'secret-b', 'secret-c', 'secret-d', 'secret-e']);
  t.deepEqual((await open()).now(), secrets.now());
});

test('secrets: a new one takes the place of the one behind a byte order mark', async (t) => {
  const { open, text } = siteOf(t, '\ufeffPRESSMARK_SECRET=secret-a\r\nOTHER=x\r\n');
  await (await open()).renew('secret-b');
  t.regex(text(), /^PRESSMARK_SECRET=secret-b\r\nOTHER=x\r\nPRESSMARK_OLD_SECRET=secret-a\r\n/);
});

test('secrets: one that cannot be one, or that the environment sets, is refused, and nothing is written', async (t) => {
  const { open, text, path } = siteOf(t, 'PRESSMARK_SECRET=secret-a\n');
  const secrets = await open();
  for (const secret of ['short', 'a,b,c,d,e,f', "it's-a-secret", 'line\nPORT=1', 'ü'.repeat(20)])
    await t.throwsAsync(secrets.renew(secret), { code: 'USAGE', message: /8 to 200/ });
  await t.throwsAsync(secrets.renew('secret-a'), { code: 'USAGE', message: /live already/ });
  const bound = await open({ PRESSMARK_SECRET: 'of-the-environment' });
  await t.throwsAsync(bound.renew(), { code: 'USAGE', message: /set in the environment/ });
  fs.writeFileSync(path, 'A="\nPRESSMARK_SECRET=within a text\n"\nPRESSMARK_SECRET=secret-a\n');
  await t.throwsAsync(secrets.renew('secret-b'), { code: 'USAGE', message: /by hand/ });
  t.regex(text(), /within a text/);
  t.deepEqual(secrets.now(), ['secret-a']);
});

test('secrets: a link stays a link, and an old secret without its time is an error', async (t) => {
  const { dir, path, open } = siteOf(t, '');
  const real = join(dir, 'kept.env');
  fs.writeFileSync(real, 'PRESSMARK_SECRET=secret-a\n');
  fs.rmSync(path);
  fs.symlinkSync(real, path);
  await (await open()).renew('secret-b');
  t.true(fs.lstatSync(path).isSymbolicLink());
  t.is(parseEnv(fs.readFileSync(real, 'utf8')).PRESSMARK_SECRET, 'secret-b');
  fs.writeFileSync(real, 'PRESSMARK_SECRET=secret-a\nPRESSMARK_OLD_SECRET=secret-b\n');
  await t.throwsAsync(open(), { code: 'CONFIG_INVALID', message: /PRESSMARK_OLD_SECRET_UNTIL is ""/ });
  fs.appendFileSync(real, 'PRESSMARK_OLD_SECRET_UNTIL=2020-01-01T00:00:00Z\n');
  t.deepEqual((await open()).now(), ['secret-a']);
});

test('secrets: one that another receiver on the folder has written is found after a signature that does not match', async (t) => {
  const { open, clock, path } = siteOf(t, 'PRESSMARK_SECRET=the-first-secret\n');
  const [here, there] = [await open(), await open()];
  there.reread();
  const made = await here.renew();
  t.deepEqual(there.now(), ['the-first-secret']);
  t.false(there.reread(), 'not twice in a second: strangers can have it done');
  clock.time += 1_000;
  t.true(there.reread());
  t.deepEqual(there.now(), [made, 'the-first-secret']);
  clock.time += 1_000;
  t.false(there.reread(), 'the file is as it was');
  fs.writeFileSync(path, 'PRESSMARK_OLD_SECRET=x\n');
  clock.time += 1_000;
  t.false(there.reread(), 'a file that makes no sense');
  t.deepEqual(there.now(), [made, 'the-first-secret']);
});
