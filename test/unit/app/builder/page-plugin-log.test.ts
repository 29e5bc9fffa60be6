import test from 'ava';
import { pino } from 'pino';
import { openSiteBuilder } from '../../../../src/app/builder/site-builder.js';
import { loadSettings } from '../../../../src/config/load.js';
import { definePlugin } from '../../../../src/host/plugin.js';
import { folderWith } from '../../../support/temp-dir.js';

test('a line about a plugin in the thread that builds pages names this plugin, and no other one', async (t) => {
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
  const config = JSON.stringify({ siteUrl: 'https://garden.example', site: { search: false } });
  const settings = await loadSettings(folderWith(t, { 'pressmark.config.json': config }), {}, {});
  const letters = definePlugin({
    name: 'letters',
    pages: (host) => {
      host.log.info('hello');
      const paths = () => {
        throw new Error('no luck');
      };
      host.addOutput({ path: 'letters/', paths, render: () => '' });
    },
  });
  const { builder, close } = await openSiteBuilder(settings, [letters], log);
  t.teardown(close);
  await builder.build('all');
  t.deepEqual(lines, [
    '{"level":30,"plugin":"letters","msg":"hello"}\n',
    '{"level":50,"plugin":"letters","output":"letters/","reason":"no luck","msg":"paths of an output failed"}\n',
  ]);
});
