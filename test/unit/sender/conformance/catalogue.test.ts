import test from 'ava';
import { RULES } from '../../../../src/sender/conformance/rules/all.js';
import type { Outcome } from '../../../../src/sender/conformance/run.js';
import { CATALOGUE, type Fault } from '../../../support/conformance/catalogue.js';
import { checked, complaints } from '../../../support/conformance/checked.js';
import { referenceSteps } from '../../../support/conformance/reference-receiver.js';

test('a receiver without a fault keeps every rule', async (t) => {
  const report = await checked(referenceSteps());
  t.is(report.outcomes.length, RULES.length);
  t.true(RULES.length >= 80);
  t.deepEqual(complaints(report), []);
});

test('for every rule there is a fault, and for every fault a rule', (t) => {
  t.deepEqual([...CATALOGUE.keys()].sort(), RULES.map(({ id }) => id).sort());
});

for (const [id, fault] of CATALOGUE) {
  test(`a receiver with the fault ${id} is caught by that rule`, async (t) => {
    const expected = RULES.find((rule) => rule.id === id)?.level === 'must' ? 'failed' : 'advice';
    let outcome = await outcomeWith(id, fault);
    for (let n = 1; n < (fault.attempts ?? 1) && outcome?.result !== expected; n++)
      outcome = await outcomeWith(id, fault);
    t.is(outcome?.result, expected, JSON.stringify(outcome));
  });
}

async function outcomeWith(id: string, fault: Fault): Promise<Outcome | undefined> {
  const steps = referenceSteps();
  fault.break(steps);
  const timeout = fault.timeoutMs === undefined ? {} : { timeoutMs: fault.timeoutMs };
  const { outcomes } = await checked(steps, { only: [id, ...fault.with], ...timeout });
  return outcomes.find(({ rule }) => rule.id === id);
}
