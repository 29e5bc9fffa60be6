import test from 'ava';
import type { Report } from '../../../src/conformance/outcome.js';
import { checkReceiver } from '../../../src/conformance/run.js';
import { checked, optionsFor } from '../../support/conformance/checked.js';
import { referenceSteps, type Steps, serveSteps } from '../../support/conformance/reference-receiver.js';
import { GARDEN } from '../../support/conformance/reference-store.js';
import { refuse } from '../../support/conformance/refusal.js';
import { answers } from '../../support/conformance/ways.js';

const failed = ({ outcomes }: Report) =>
  outcomes.filter(({ result }) => result === 'failed' || result === 'advice').map(({ rule }) => rule.id);
const resultOf = ({ outcomes }: Report, id: string) => outcomes.find(({ rule }) => rule.id === id);

/** Knows `article.published` alone, and says nothing but that it came. */
function version1(): Steps {
  const steps = referenceSteps();
  for (const event of ['webhook.test', 'article.lookup', 'article.updated'])
    steps.events[event] = () => refuse(400, 'unsupported event');
  answers('article.published', () => ({ status: 202, text: '' }))(steps);
  return steps;
}

/** Answers as Version 2, and a publish with nothing but a 200. */
function version2(): Steps {
  const steps = referenceSteps();
  for (const event of ['webhook.test', 'article.lookup', 'article.updated'])
    answers(event, (json) => ({ json: { ...json, contract_version: 2 } }))(steps);
  answers('article.published', () => ({ json: { received: true } }))(steps);
  return steps;
}

test('a receiver that refuses webhook.test is Version 1, and keeps all rules of Version 1', async (t) => {
  const report = await checked(version1(), { as: undefined, pages: undefined });
  t.is(report.version, 1);
  t.deepEqual(failed(report), []);
  t.is(resultOf(report, 'signature-missing')?.result, 'passed');
  t.is(resultOf(report, 'publish-again-accepted')?.result, 'passed');
  const { result, why } = resultOf(report, 'lookup-200') ?? {};
  t.deepEqual([result, why], ['not applicable', 'it is for receivers of Version 2']);
});

test('a bare 200 to everything is Version 1, but must not acknowledge a lookup or an update', async (t) => {
  const steps = version1();
  for (const event of ['webhook.test', 'article.lookup', 'article.updated'])
    steps.events[event] = () => ({ status: 200, json: { received: true } });
  const report = await checked(steps, { as: undefined, pages: undefined });
  t.is(report.version, 1);
  t.deepEqual(failed(report), ['lookup-not-acknowledged', 'update-not-acknowledged']);
});

test('a receiver that answers contract_version 2 is Version 2, and may answer a publish barely', async (t) => {
  const { url, close } = await serveSteps(version2());
  t.teardown(close);
  const options = optionsFor(url, { articleUrl: `${GARDEN}/articles/{slug}/` });
  const report = await checkReceiver(options);
  t.is(report.version, 2);
  t.deepEqual(failed(report), []);
  t.is(resultOf(report, 'update-content')?.result, 'passed');
  t.is(resultOf(report, 'publish-url')?.result, 'not applicable');
});
