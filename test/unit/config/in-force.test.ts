import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { loadSettings } from '../../../src/config/load.js';
import { bareEnvironment } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

test('settings in force: each says its value and where it comes from, and no secret is among them', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(
    join(dir, 'pressmark.config.json'),
    JSON.stringify({
      siteUrl: 'https://wrong.example',
      site: { title: 'A <garden>' },
      git: { push: { remote: 'https://me:token-of-mine@git.example/site.git' } },
      build: { every: 5 },
    }),
  );
  fs.writeFileSync(
    join(dir, '.env'),
    'PRESSMARK_SECRET=secret-a\nPRESSMARK_SITE_URL=https://garden.example\n',
  );
  const { inForce } = await loadSettings(dir, { port: 99 }, bareEnvironment());
  const of = (name: string) => {
    const { value, from } = inForce.find((one) => one.name === name) ?? {};
    return [value, from];
  };
  t.deepEqual(of('siteUrl'), ['"https://garden.example"', 'environment']);
  t.deepEqual(of('port'), ['99', 'command line']);
  t.deepEqual(of('site.title'), ['"A <garden>"', 'config']);
  t.deepEqual(of('site.pageSize'), ['20', 'default']);
  t.deepEqual(of('build.every'), ['5', 'config']);
  t.deepEqual(of('content'), ['"content"', 'default']);
  t.notRegex(JSON.stringify(inForce), /secret-a|token-of-mine/);
});

test('settings in force: those of the built site are none where another generator builds it', async (t) => {
  const dir = tempDir(t);
  const config = { generator: 'hugo', siteUrl: 'https://a.example', site: { title: 'A garden' } };
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(config));
  const { inForce, site } = await loadSettings(dir, {}, bareEnvironment());
  t.deepEqual([site, inForce.filter(({ name }) => name.startsWith('site.'))], [false, []]);
});
