import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { createDoctor } from '../../../src/app/doctor/doctor-process.js';
import { loadSettings } from '../../../src/config/load.js';
import { bareEnvironment, SITE_URL } from '../../support/receiver.js';
import { folderWith } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('a config that has become wrong since the start is what the checks find, and not what they found before', async (t) => {
  const name = 'pressmark.config.json';
  const dir = folderWith(t, { [name]: JSON.stringify({ siteUrl: SITE_URL, port: 0 }) });
  const settings = await loadSettings(dir, {}, bareEnvironment());
  fs.writeFileSync(join(dir, name), '{ "siteUrl": ');
  const doctor = createDoctor(settings, pino({ level: 'silent' }));
  t.teardown(doctor.close);
  t.true(doctor.report().isRunning);
  await until('the checks are done', () => !doctor.report().isRunning);
  const [found, ...others] = doctor.report().findings;
  t.deepEqual(others, []);
  t.like(found, { level: 'fail', about: 'doctor' });
  t.regex(found?.text ?? '', /pressmark\.config\.json cannot be read: /);
});
