import test from 'ava';
import { RULES } from '../../../src/conformance/rules/all.js';
import { checked, complaints } from '../../support/conformance/checked.js';
import { FAULTS, OTHERWISE, OVERLOOKED, RECEIVERS, TRIGGERS } from '../../support/conformance/faults.js';
import { GARDEN } from '../../support/conformance/receiver.js';
import { article } from '../../support/events.js';

// That a right receiver keeps every rule is in traffic.test.ts, and in test/integration/sender/conformance.
test('for every rule there is a fault, and for every fault a rule', (t) => {
  t.true(RULES.length >= 80);
  t.deepEqual(Object.keys(FAULTS).sort(), RULES.map(({ id }) => id).sort());
});

for (const ids of RECEIVERS)
  test(`a receiver that breaks ${ids[0]}${ids.length > 1 ? ` and ${ids.length - 1} other rules` : ''} is caught by each`, async (t) => {
    const faults = ids.map((id) => FAULTS[id] ?? t.fail(id));
    const only = ids.flatMap((id) => [id, TRIGGERS[id] ?? id]);
    const as = ids.includes('version-stated') ? undefined : 3;
    const { outcomes } = await checked(faults, { only, as });
    for (const { rule, ...outcome } of outcomes)
      if (ids.includes(rule.id))
        t.is(
          outcome.result,
          rule.level === 'must' ? 'failed' : 'advice',
          `${rule.id} ${JSON.stringify(outcome)}`,
        );
  });

for (const [rule, what, breaks] of OVERLOOKED)
  test(`${rule} catches a receiver that ${what}`, async (t) => {
    const { outcomes } = await checked(breaks, { only: [rule] });
    const found = outcomes.find((outcome) => outcome.rule.id === rule);
    t.is(found?.result, found?.rule.level === 'must' ? 'failed' : 'advice', JSON.stringify(found));
  });

for (const [what, breaks, only, over] of OTHERWISE)
  test(`a receiver is not blamed that ${what}`, async (t) => {
    const report = await checked(breaks, { only, ...over });
    t.deepEqual(complaints(report), []);
  });

test('where the beginning of a URL is that of another article, finding that one is right', async (t) => {
  const free = [1, 12];
  const report = await checked(
    ({ store }) => {
      store.freeUrl = () => `${GARDEN}/posts/${free.shift()}`;
      store.publish({ ...article(), featured_image_url: null });
    },
    { only: ['canonical-other-path'] },
  );
  t.deepEqual(complaints(report), []);
});
