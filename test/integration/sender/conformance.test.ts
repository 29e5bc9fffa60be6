import test from 'ava';
import { RULES } from '../../../src/conformance/rules/all.js';
import { checkReceiver } from '../../../src/conformance/run.js';
import { complaints, optionsFor } from '../../support/conformance/checked.js';
import { generatorSite } from '../../support/generator-site.js';
import { startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

test('Pressmark’s own receiver keeps every rule of the contract, pages included', async (t) => {
  // Not the search: no rule looks at it.
  const receiver = await startReceiver(t, { config: { site: { search: false } } });
  const url = new URL(`${receiver.origin}/webhook`);
  // Pages are built in the background; on a busy machine that may take a while.
  const pages = { origin: receiver.origin, waitMs: 60_000 };
  const report = await checkReceiver(optionsFor(url, { pages }));
  t.deepEqual(complaints(report), []);
  t.is(report.outcomes.length, RULES.length);
  t.is(report.version, 3);
});

test('Pressmark’s own receiver keeps every rule where Hugo builds the site', async (t) => {
  const receiver = await startReceiver(t, { dir: generatorSite(tempDir(t), 'hugo') });
  const report = await checkReceiver(optionsFor(new URL(`${receiver.origin}/webhook`)));
  // Hugo is not there to make pages.
  t.deepEqual(
    complaints(report).filter((complaint) => !complaint.startsWith('page-')),
    [],
  );
  t.is(report.version, 3);
});
