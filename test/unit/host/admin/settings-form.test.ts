import type { StandardSchemaV1 } from '@standard-schema/spec';
import test from 'ava';
import * as z from 'zod';
import {
  enteredValue,
  type FieldKind,
  fieldsOfOptions,
  shownValue,
} from '../../../../src/host/admin/settings-form.js';

const fieldsOf = (schema: unknown) => fieldsOfOptions(schema as StandardSchemaV1);

test('settings form: each option of a schema of zod is a field', async (t) => {
  const schema = z.object({
    colour: z.enum(['red', 'blue']).default('red').describe('Of the <b>mark</b>'),
    limit: z.number().int().min(1).optional(),
    ratio: z.number().default(0.5),
    isLoud: z.boolean().default(false),
    tags: z.array(z.string()).default(['a', 'b']),
    title: z.string().meta({ title: 'The title' }),
    level: z.union([z.literal(1), z.literal(2)]).optional(),
    map: z.record(z.string(), z.string()).default({}),
    key: z.string().meta({ format: 'password' }).optional(),
  });
  const fields = fieldsOf(schema);
  t.deepEqual(
    fields?.map(({ key, type, isRequired, fallback }) => [key, type.kind, isRequired, fallback]),
    [
      ['colour', 'choice', false, '"red"'],
      ['limit', 'number', false, ''],
      ['ratio', 'number', false, '0.5'],
      ['isLoud', 'switch', false, 'false'],
      ['tags', 'lines', false, 'a\nb'],
      ['title', 'text', true, ''],
      ['level', 'choice', false, ''],
      ['map', 'json', false, '{}'],
      ['key', 'secret', false, ''],
    ],
  );
  t.like(fields?.[0], { label: 'colour', help: 'Of the <b>mark</b>' });
  t.is(fields?.[5]?.label, 'The title');
  t.deepEqual(fields?.[6]?.type, { kind: 'choice', choices: [1, 2] });
});

test('settings form: a library that knows the standard is asked; where none knows, there is no form', async (t) => {
  const standard = { version: 1, vendor: 'another', validate: () => ({ value: {} }) };
  const formOf = (input?: () => unknown) =>
    fieldsOf({ '~standard': { ...standard, ...(input && { jsonSchema: { input } }) } })?.map(
      ({ key }) => key,
    );
  t.deepEqual(
    formOf(() => ({ type: 'object', properties: { a: { type: 'string' } } })),
    ['a'],
  );
  t.is(formOf(), undefined);
  const fail = () => {
    throw new Error('no');
  };
  t.is(formOf(fail), undefined);
  t.is(fieldsOfOptions(undefined), undefined);
  t.is(fieldsOf(z.string()), undefined);
  const endless: Record<string, unknown> = {};
  endless.a = endless;
  t.is(
    formOf(() => ({ type: 'object', properties: { a: { type: 'object', default: endless } } })),
    undefined,
  );
});

test('settings form: what is shown of a value is entered as this value again', (t) => {
  const choices = ['a', 1, true];
  const cases: [FieldKind, unknown][] = [
    [{ kind: 'text' }, 'two\nlines & "quotes"'],
    [{ kind: 'number', isWhole: false }, -0.25],
    [{ kind: 'lines' }, ['a', 'b c']],
    [{ kind: 'switch' }, false],
    [{ kind: 'choice', choices }, 1],
    [{ kind: 'choice', choices }, 'a'],
    [{ kind: 'json' }, { a: [1, null, { b: '' }] }],
  ];
  for (const [type, value] of cases) {
    // A browser sends line ends as CR LF.
    const text = shownValue(type, value).replaceAll('\n', '\r\n');
    t.deepEqual(enteredValue(type, text), { kind: 'value', value });
    t.deepEqual(enteredValue(type, ' \r\n'), { kind: 'unset' });
  }
  t.is(shownValue({ kind: 'text' }, undefined), '');
});

test('settings form: what a field cannot take is said', (t) => {
  const cases: [FieldKind, string, RegExp][] = [
    [{ kind: 'number', isWhole: true }, 'many', /a number/],
    [{ kind: 'switch' }, '"true"', /of the list/],
    [{ kind: 'choice', choices: ['a'] }, '"b"', /of the list/],
    [{ kind: 'json' }, '{', /JSON/],
    [{ kind: 'secret' }, 'x', /\.env/],
  ];
  for (const [type, text, words] of cases) {
    const entered = enteredValue(type, text);
    t.regex(entered.kind === 'wrong' ? entered.text : '', words, `${type.kind} ${text}`);
  }
});
