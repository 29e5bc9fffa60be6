import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { RULES } from '../../src/conformance/rules/all.js';

const read = (path: string) =>
  fs.readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');
const PAGE = read('docs/receivers.md');

test('the excerpt of docs/receivers.md is in the receiver', (t) => {
  const excerpts = [...PAGE.matchAll(/```python\n([\s\S]*?)```/g)];
  t.is(excerpts.length, 1);
  t.true(read('examples/receivers/python/receiver.py').includes(excerpts[0]?.[1] ?? ''));
});

test('docs/receivers.md names rules that there are', (t) => {
  const [, part = ''] = PAGE.split('## What goes wrong most often');
  const named = [...part.matchAll(/`([a-z0-9]+(?:-[a-z0-9]+)+)`/g)].map(([, id = '']) => id);
  t.true(named.length >= 10);
  for (const id of named)
    t.true(
      RULES.some((rule) => rule.id === id),
      id,
    );
});
