import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { followSources } from '../../../src/app/follow-sources.js';
import { loadSettings } from '../../../src/config/load.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('a change of a named config is noticed also in a hidden folder', async (t) => {
  const dir = tempDir(t);
  const config = join(dir, '.config/pressmark.json');
  fs.mkdirSync(join(dir, '.config'));
  fs.writeFileSync(config, '{}');
  const settings = await loadSettings(dir, {}, { PRESSMARK_CONFIG: config });
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line).msg) });
  const stop = followSources(settings, () => undefined, log);
  t.teardown(stop);
  await until('the log says that the config has changed', () => {
    fs.appendFileSync(config, '\n'); // again and again, as the watcher may not have begun
    return logged.some((line) => line.startsWith('the config or .env has changed'));
  });
  t.pass();
});
