import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readKeptOptions, SETTINGS_FILE, withKeptOptions } from '../../../src/config/settings-file.js';
import { tempDir } from '../../support/temp-dir.js';

test('settings file: what is wrong with it is an error that names file and key', (t) => {
  const dir = tempDir(t);
  const cases: [string, RegExp][] = [
    ['{ "plugins": ', /pressmark\.settings\.json cannot be read: .*\(line 1\)/],
    ['[]', /must be an object/],
    ['{ "plugin": {} }', /has the key "plugin"; .*did you mean plugins\?/],
    ['{ "plugins": { "desk": 7 } }', /plugins\.desk must be an object/],
  ];
  for (const [text, message] of cases) {
    fs.writeFileSync(join(dir, SETTINGS_FILE), text);
    t.throws(() => readKeptOptions(dir), { code: 'CONFIG_INVALID', message });
  }
  fs.rmSync(join(dir, SETTINGS_FILE));
  t.deepEqual(readKeptOptions(dir), {}, 'without one there are no settings');
});

test('settings file: an option is set by the config or by the file, never by both', (t) => {
  const join = (options: unknown, kept: Record<string, unknown> | undefined) =>
    withKeptOptions('plugin desk', options, kept);
  t.deepEqual(join({ a: 1 }, { b: 2 }), { a: 1, b: 2 });
  t.deepEqual(join(undefined, { b: 2 }), { b: 2 });
  t.deepEqual(join({ a: 1 }, undefined), { a: 1 });
  t.throws(() => join({ a: 1, b: 1 }, { a: 1 }), {
    code: 'CONFIG_INVALID',
    message: 'plugin desk: "a" is set in the config and in pressmark.settings.json; remove one of them',
  });
  t.throws(() => join('loud', { a: 1 }), { code: 'CONFIG_INVALID', message: /not an object/ });
  const hostile = JSON.parse('{"__proto__":{"a":1}}');
  t.is(Object.getPrototypeOf(join({ b: 2 }, hostile)), Object.prototype);
});
