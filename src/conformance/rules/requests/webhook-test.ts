import { CAPABILITIES } from '../../../contract/limits.js';
import { sampleTest } from '../../../sender/article/sample-event.js';
import { shown } from '../../../sender/delivery/answer-checks.js';
import { describe, expectEqual, expectRefusal, expectStatus, expectThat, fieldsOf } from '../../expect.js';
import { rules } from '../../rule.js';
import type { Answer } from '../../transport/probe.js';
import { versionRead } from '../../version.js';

const LIST = `
# webhook.test; V2; needs request-accepted
37 test-answer: A webhook.test is answered 200 with received: true, contract_version 2 or 3, and all three capabilities.
  Answer {"received": true, "contract_version": 3, "capabilities": ["article.published", "article.lookup", "article.updated"]}.
42 test-version-agrees (Versioning): The answer states the version as which the receiver is checked.
  Version 2 or 3 needs status 200, received: true and all three capabilities; any other answer means Version 1.
43 test-again: Two webhook.test in a row get the same answer.
  Do not limit the rate of tests: the service sends one before every refresh.
44 test-unknown-fields (Versioning; should): A test with fields that the contract does not name is not refused.
  Ignore fields that you do not know.
249 test-version-3 (Versioning; should): A signed webhook.test with contract_version 3 is refused: requests carry 2 in all versions.
  Answer 400 if contract_version is not the integer 2.
48 test-writes-nothing (needs lookup-200): A webhook.test writes nothing, even if its data looks like a stored article.
  Answer webhook.test without writing to your store.
`;

/** The receiver's answer about itself (contract: webhook.test, Versioning). */
export const TEST_RULES = rules(LIST, {
  'test-answer': async (session) => {
    const answer = await session.test();
    expectStatus(answer, 200);
    const { received, contract_version: version, capabilities } = fieldsOf(answer);
    expectEqual('received', true, received);
    expectThat(
      version === 2 || version === 3,
      'contract_version 2 or 3',
      `contract_version ${shown(version)}`,
    );
    const all = Array.isArray(capabilities) && CAPABILITIES.every((one) => capabilities.includes(one));
    expectThat(all, `capabilities ${CAPABILITIES.join(', ')}`, `capabilities ${shown(capabilities)}`);
  },
  'test-version-agrees': async (session) => {
    const answer = await session.test();
    const read = versionRead(answer);
    expectThat(
      read === session.version,
      `Version ${session.version}`,
      `Version ${read} from ${describe(answer)}`,
    );
  },
  'test-again': async (session) => {
    const stated = (answer: Answer) => {
      const { contract_version, capabilities } = fieldsOf(answer);
      return [answer.status, contract_version, capabilities];
    };
    const first = await session.firstTest();
    expectEqual('status, version and capabilities', stated(first), stated(await session.test()));
  },
  'test-unknown-fields': async (session) =>
    expectStatus(await session.test({ envelope: { trial: { deep: [1] } } }, { trial: true }), 200),
  // for the 400 for another version, the contract names only lookup and update
  'test-version-3': async (session) =>
    expectRefusal(await session.test({ envelope: { contract_version: 3 } })),
  'test-writes-nothing': async (session) => {
    const { data, url } = await session.main();
    const posing = session.article(data.id, { content_html: '<p>From a test</p>' });
    const test = { ...sampleTest({ id: data.id }), ...posing };
    await session.unchangedBy(url(), () => session.send('webhook.test', test));
  },
});
