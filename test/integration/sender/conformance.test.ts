import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RULES } from '../../../src/conformance/rules/all.js';
import { type ConformanceOptions, checkReceiver } from '../../../src/conformance/run.js';
import { complaints, optionsFor } from '../../support/conformance/checked.js';
import { generatorSite } from '../../support/generator-site.js';
import { type ReceiverHere, startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { patienceMs } from '../../support/until.js';

/** A person who changes a word in the article's file, and one who starts the receiver again. */
function personAt(t: ExecutionContext, { dir, port, close }: ReceiverHere): ConformanceOptions['ask'] {
  return async (step) => {
    if (step.kind === 'restart') {
      await close();
      await startHere(t, { dir, port });
      return;
    }
    const name = new URL(step.url).pathname.split('/').at(-2) ?? '';
    const files = fs.readdirSync(join(dir, 'content'), { recursive: true, encoding: 'utf8' });
    const file = join(dir, 'content', files.find((path) => path.endsWith(`${name}.md`)) ?? '');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('A trial', 'An edited trial'));
  };
}

/** Says that a check goes on: AVA ends a test in which nothing happens, and on a busy machine one takes minutes. */
function progressOf(t: ExecutionContext): Pick<ConformanceOptions, 'onOutcome'> {
  const onOutcome = () => t.timeout(patienceMs(), 'the check comes to its next rule');
  onOutcome();
  return { onOutcome };
}

const isOfPages = (id: string) => id.startsWith('page-');

test('Pressmark’s own receiver keeps every rule of the contract', async (t) => {
  const receiver = await startHere(t, { storeOnly: true });
  const url = new URL(`${receiver.origin}/webhook`);
  const report = await checkReceiver(
    optionsFor(url, { ...progressOf(t), pages: undefined, ask: personAt(t, receiver) }),
  );
  t.deepEqual(
    report.outcomes.filter(({ rule, result }) => result !== 'passed' && !isOfPages(rule.id)),
    [],
    complaints(report).join('\n'),
  );
  t.is(report.outcomes.length, RULES.length);
  t.is(report.version, 3);
});

test('Pressmark’s own site keeps every rule of pages', async (t) => {
  // Not the search: no rule looks at it.
  const { origin } = await startHere(t, { config: { git: false, site: { search: false } } });
  const only = RULES.map(({ id }) => id).filter(isOfPages);
  const pages = { origin, waitMs: patienceMs() };
  const report = await checkReceiver(
    optionsFor(new URL(`${origin}/webhook`), { ...progressOf(t), only, pages }),
  );
  t.deepEqual(complaints(report), []);
  t.true(report.outcomes.length >= only.length);
});

test('Pressmark’s own receiver keeps the rules of content and revisions where Hugo builds the site', async (t) => {
  const { origin } = await startHere(t, { dir: generatorSite(tempDir(t), 'hugo') });
  const only = RULES.map(({ id }) => id).filter((id) =>
    /^(?:content-|update-(?:content|title|keeps|revision|stale))/.test(id),
  );
  // Hugo is not there to make pages.
  const report = await checkReceiver(
    optionsFor(new URL(`${origin}/webhook`), { ...progressOf(t), only, pages: undefined }),
  );
  t.deepEqual(complaints(report), []);
  t.true(report.outcomes.length > only.length);
});
