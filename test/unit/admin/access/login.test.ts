import { join } from 'node:path';
import test from 'ava';
import type { Context } from 'koa';
import { pino } from 'pino';
import { createAttempts } from '../../../../src/admin/access/attempts.js';
import { createLogins } from '../../../../src/admin/access/login.js';
import { hashPassword, isPassword } from '../../../../src/admin/access/passwords.js';
import { createUsers } from '../../../../src/admin/access/users.js';
import { openAudit } from '../../../../src/admin/audit.js';
import type { ReceiverHost } from '../../../../src/host/plugin.js';
import { openStorage } from '../../../../src/host/storage.js';
import { tempDir } from '../../../support/temp-dir.js';

const PASSWORD = 'a hive of twelve bees';

test('where too many log in, that is an answer to the form, and no attempt is counted', async (t) => {
  const storage = openStorage('admin', join(tempDir(t), 'admin'));
  const users = createUsers(storage, { cost: 2 });
  const { token } = await users.invite('ada');
  await users.accept(token, PASSWORD);
  const { check } = createLogins({
    host: { log: pino({ level: 'silent' }), storage } as unknown as ReceiverHost,
    users,
    audit: openAudit(storage),
    attempts: createAttempts(),
  });
  const context = { cookies: { get: () => undefined } } as unknown as Context;
  const access = { kind: 'allowed', isSecure: false, origin: 'http://localhost', network: '::1' } as const;
  const hash = await hashPassword(PASSWORD, 2);
  let isFull = true;
  const others = Array.from({ length: 20 }, async () => {
    while (isFull) await isPassword(PASSWORD, hash, true);
  });
  for (let n = 0; n < 11; n++) {
    const checked = await check({ context, access }, 'ada', PASSWORD);
    t.like(checked, { kind: 'refused', status: 503, flash: { text: 'frame.reason' } });
  }
  isFull = false;
  await Promise.all(others);
  t.like(await check({ context, access }, 'ada', PASSWORD), { kind: 'passed', user: { name: 'ada' } });
});
