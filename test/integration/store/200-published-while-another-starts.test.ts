import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { draftOf } from '../../../src/article/article.js';
import { createLog } from '../../../src/log.js';
import { DEFAULT_FILE_PATTERN, DEFAULT_PERMALINK, patternLayout } from '../../../src/presets/layout.js';
import { openStore } from '../../../src/store/open-store.js';
import { articleFiles } from '../../support/content.js';
import { article } from '../../support/events.js';
import { SITE_URL } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('what one receiver stores between another’s first look and its first lock is not stored twice', async (t) => {
  const dir = tempDir(t);
  const options = {
    content: {
      root: join(dir, 'content'),
      layout: patternLayout(SITE_URL, DEFAULT_FILE_PATTERN, DEFAULT_PERMALINK),
    },
    stateDir: join(dir, '.pressmark'),
    log: createLog({ level: 'silent', terminal: false }),
    watch: false,
  };
  let goOn: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const a = await openStore({ ...options, durability: () => held });
  t.teardown(a.close);
  const [first, second] = [article(), article()].map(draftOf);
  if (first === undefined || second === undefined) return t.fail();

  // The first holds the lock; the second waits behind it, without a name yet.
  const stored = Promise.all([a.store.publish(first), a.store.publish(second)]);
  await until(() => articleFiles(dir).length === 1);
  const starting = openStore(options);
  await until(() => fs.readdirSync(join(dir, '.pressmark/waiting')).length === 1);
  goOn();
  const b = await starting;
  t.teardown(b.close);
  for (const draft of [first, second]) t.is((await b.store.publish(draft)).outcome, 'known');
  await stored;
  t.is(articleFiles(dir).length, 2);
});
