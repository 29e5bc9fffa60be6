import test from 'ava';
import { untestedVersion } from '../../../../src/generators/inspect/manifests.js';
import { buildCommand, scriptCommand } from '../../../../src/generators/inspect/site-build.js';
import { askedSite } from '../asked-site.js';

test('the package manager of the site runs its build, if it is installed', async (t) => {
  const command = (files: Record<string, string>, printed = '/usr/bin/it\n') =>
    scriptCommand(askedSite(files, { 'command -v': printed }), 'build');
  t.is(await command({}), 'npm run build');
  t.is(await command({ 'yarn.lock': '' }), 'yarn run build');
  t.is(await command({ 'yarn.lock': '' }, ''), 'npm run build', 'Yarn is not installed');
  t.is(await command({ 'bun.lockb': '' }), 'bun run build');
  const added = { 'package-lock.json': '{}', 'yarn.lock': '' };
  t.is(await command(added), 'yarn run build', 'npm install has added one');
  t.is(await command({ 'package.json': '{"packageManager":"pnpm@9.1.0"}' }), 'pnpm run build');
  const named = { 'package.json': '{"packageManager":"npm@10.1.0"}', 'yarn.lock': '' };
  t.is(await command(named), 'npm run build');
});

test('a script that calls the generator builds the site, whatever braces the scripts before it have', async (t) => {
  const scripts = { format: "prettier '**/*.{ts,astro}'", build: 'astro build && pagefind' };
  const site = askedSite({ 'package.json': JSON.stringify({ scripts }) });
  t.is(await buildCommand(site, /\bastro\s+build\b/, 'npx astro build'), 'npm run build');
});

test('a version with which nothing was tried is named', (t) => {
  const warn = (version?: string) => untestedVersion(version, 'Eleventy 2 and 3', [2, 3]);
  t.deepEqual(warn('3.1.7'), []);
  t.deepEqual(warn(undefined), []);
  t.like(warn('0.12.1'), [
    { level: 'warn', text: 'This site has version 0.12.1; Pressmark was tried with Eleventy 2 and 3.' },
  ]);
});
