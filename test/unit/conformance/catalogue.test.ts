import test from 'ava';
import { RULES } from '../../../src/conformance/rules/all.js';
import { CATALOGUE, type Fault, OVERLOOKED } from '../../support/conformance/catalogue.js';
import { checked, complaints } from '../../support/conformance/checked.js';
import { referenceSteps } from '../../support/conformance/reference-receiver.js';
import { GARDEN } from '../../support/conformance/reference-store.js';
import { article } from '../../support/events.js';

test('a receiver without a fault keeps every rule', async (t) => {
  const report = await checked(referenceSteps());
  t.is(report.outcomes.length, RULES.length);
  t.true(RULES.length >= 80);
  t.deepEqual(complaints(report), []);
});

test('for every rule there is a fault, and for every fault a rule', (t) => {
  t.deepEqual([...CATALOGUE.keys()].sort(), RULES.map(({ id }) => id).sort());
});

for (const [id, fault] of CATALOGUE) catches(id, fault, `the rule ${id} catches a receiver that breaks it`);

for (const { rule, what, break: breaks } of OVERLOOKED)
  catches(rule, { break: breaks, with: [] }, `the rule ${rule} catches a receiver that ${what}`);

function catches(id: string, fault: Fault, title: string): void {
  test(title, async (t) => {
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

test('where the beginning of a URL is that of another article, finding that one is right', async (t) => {
  const steps = referenceSteps();
  const free = [1, 12];
  steps.store.freeUrl = () => `${GARDEN}/posts/${free.shift()}`;
  steps.store.publish({ ...article(), featured_image_url: null });
  const report = await checked(steps, { only: ['canonical-slug-beginning'] });
  t.deepEqual(complaints(report), []);
});
