import test from 'ava';
import { RULES } from '../../../src/conformance/rules/all.js';
import { CATALOGUE } from '../../support/conformance/catalogue.js';
import { checked, complaints } from '../../support/conformance/checked.js';
import { referenceSteps } from '../../support/conformance/reference-receiver.js';

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
  test(`the rule ${id} catches a receiver that breaks it`, async (t) => {
    const steps = referenceSteps();
    fault.break(steps);
    const { outcomes } = await checked(steps, {
      only: [id, ...fault.with],
      ...('as' in fault && { as: fault.as }),
    });
    const outcome = outcomes.find(({ rule }) => rule.id === id);
    t.is(outcome?.result, outcome?.rule.level === 'must' ? 'failed' : 'advice', JSON.stringify(outcome));
  });
}
