import test from 'ava';
import { buildCommand } from '../../../src/generators/manifests.js';
import { untestedVersion } from '../../../src/generators/version.js';
import { siteOf } from '../../support/site-files.js';

test('the package manager of the site runs its build', (t) => {
  const command = (files: Record<string, string>) => buildCommand(siteOf(files));
  t.is(command({}), 'npm run build');
  t.is(command({ 'pnpm-lock.yaml': '' }), 'pnpm run build');
  t.is(command({ 'yarn.lock': '' }), 'yarn run build');
  t.is(command({ 'bun.lock': '' }), 'bun run build');
  t.is(command({ 'bun.lockb': '' }), 'bun run build');
  t.is(
    command({ 'package-lock.json': '{}', 'yarn.lock': '' }),
    'yarn run build',
    'npm install has added one',
  );
  t.is(command({ 'package.json': '{"packageManager":"pnpm@9.1.0"}' }), 'pnpm run build');
  t.is(command({ 'package.json': '{"packageManager":"npm@10.1.0"}', 'yarn.lock': '' }), 'npm run build');
});

test('a version with which nothing was tried is named', (t) => {
  const warn = (version?: string) => untestedVersion(version, 'Eleventy 2 and 3', (major) => major > 1);
  t.deepEqual(warn('3.1.7'), []);
  t.deepEqual(warn(undefined), []);
  t.like(warn('0.12.1'), [
    { level: 'warn', text: 'This site has version 0.12.1; Pressmark was tried with Eleventy 2 and 3.' },
  ]);
});
