import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RULES } from '../../../src/conformance/rules/all.js';
import { type ConformanceOptions, checkReceiver } from '../../../src/conformance/run.js';
import { complaints, optionsFor } from '../../support/conformance/checked.js';
import { generatorSite } from '../../support/generator-site.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';

/** A person who changes a word in the article's file, and one who kills the receiver and starts it again. */
function personAt(t: ExecutionContext, { dir, port, kill }: Receiver): ConformanceOptions['ask'] {
  return async (step) => {
    if (step.kind === 'restart') {
      await kill('SIGKILL');
      await startReceiver(t, { dir, port });
      return;
    }
    const name = new URL(step.url).pathname.split('/').at(-2) ?? '';
    const files = fs.readdirSync(join(dir, 'content'), { recursive: true, encoding: 'utf8' });
    const file = join(dir, 'content', files.find((path) => path.endsWith(`${name}.md`)) ?? '');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('A trial', 'An edited trial'));
  };
}

test('Pressmark’s own receiver keeps every rule of the contract, pages included', async (t) => {
  // Not the search: no rule looks at it.
  const receiver = await startReceiver(t, { config: { site: { search: false } } });
  const url = new URL(`${receiver.origin}/webhook`);
  // Pages are built in the background; on a busy machine that may take a while.
  const pages = { origin: receiver.origin, waitMs: 60_000 };
  const report = await checkReceiver(optionsFor(url, { pages, ask: personAt(t, receiver) }));
  t.deepEqual(complaints(report), []);
  t.is(report.outcomes.length, RULES.length);
  t.is(report.version, 3);
});

test('Pressmark’s own receiver keeps the rules of content and revisions where Hugo builds the site', async (t) => {
  const { origin } = await startHere(t, { dir: generatorSite(tempDir(t), 'hugo') });
  const only = RULES.map(({ id }) => id).filter((id) => /^(?:publish|content|lookup|update)-/.test(id));
  // Hugo is not there to make pages.
  const report = await checkReceiver(optionsFor(new URL(`${origin}/webhook`), { only, pages: undefined }));
  t.deepEqual(complaints(report), []);
  t.true(report.outcomes.length > 100);
});
