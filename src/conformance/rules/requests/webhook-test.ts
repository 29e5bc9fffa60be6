import { CAPABILITIES } from '../../../contract/limits.js';
import { sampleTest } from '../../../sender/article/sample-event.js';
import {
  describe,
  expectEqual,
  expectRefusal,
  expectStatus,
  expectThat,
  fieldsOf,
  shown,
} from '../../expect.js';
import { rules } from '../../rule.js';
import type { Answer } from '../../transport/probe.js';
import { versionRead } from '../../version.js';

const ASK =
  'Answer {"received": true, "contract_version": 3, "capabilities": ["article.published", "article.lookup", "article.updated"]}.';

/** What a receiver says of itself (contract: webhook.test, Versioning). */
export const TEST_RULES = rules({ section: 'webhook.test', from: 2, hint: ASK }, ['request-accepted'], {
  'test-200': {
    says: 'A webhook.test is answered 200.',
    check: async (session) => expectStatus(await session.test(), 200),
  },
  'test-received': {
    says: 'The answer says received: true.',
    check: async (session) => expectEqual('received', true, fieldsOf(await session.test()).received),
  },
  'test-contract-version': {
    says: 'The answer says contract_version 2 or 3, an integer.',
    check: async (session) => {
      const { contract_version: version } = fieldsOf(await session.test());
      expectThat(
        version === 2 || version === 3,
        'contract_version 2 or 3',
        `contract_version ${shown(version)}`,
      );
    },
  },
  'test-capabilities': {
    says: 'The answer lists all three capabilities.',
    check: async (session) => {
      const { capabilities } = fieldsOf(await session.test());
      const all = Array.isArray(capabilities) && CAPABILITIES.every((one) => capabilities.includes(one));
      expectThat(all, `capabilities ${CAPABILITIES.join(', ')}`, `capabilities ${shown(capabilities)}`);
    },
  },
  'test-capabilities-known': {
    level: 'should',
    says: 'The answer lists no capability that the contract does not know.',
    hint: 'Advertise only what is fully implemented, by the contract’s names.',
    check: async (session) => {
      const { capabilities } = fieldsOf(await session.test());
      const known: readonly unknown[] = CAPABILITIES;
      const others = Array.isArray(capabilities) ? capabilities.filter((one) => !known.includes(one)) : [];
      expectThat(others.length === 0, 'the three capabilities alone', `also ${shown(others)}`);
    },
  },
  'test-version-agrees': {
    section: 'Versioning',
    says: 'The service reads from the answer the version that the receiver is checked as.',
    hint: 'Version 2 or 3 counts only with status 200, received: true and all three capabilities; else the service reads Version 1.',
    check: async (session) => {
      const answer = await session.test();
      const read = versionRead(answer);
      expectThat(
        read === session.version,
        `Version ${session.version}`,
        `Version ${read} from ${describe(answer)}`,
      );
    },
  },
  'test-again': {
    says: 'One webhook.test after another is answered the same: there is one before every refresh.',
    hint: 'Do not limit how often tests come.',
    check: async (session) => {
      const stated = (answer: Answer) => {
        const { contract_version, capabilities } = fieldsOf(answer);
        return [answer.status, contract_version, capabilities];
      };
      const first = await session.firstTest();
      expectEqual('status, version and capabilities', stated(first), stated(await session.test()));
    },
  },
  'test-unknown-fields': {
    section: 'Versioning',
    level: 'should',
    says: 'A test with fields that the contract does not name is not refused.',
    hint: 'Ignore fields that you do not know.',
    check: async (session) =>
      expectStatus(await session.test({ envelope: { trial: { deep: [1] } } }, { trial: true }), 200),
  },
  'test-version-3': {
    section: 'Versioning',
    level: 'should', // of the 400 for another version the contract names lookup and update alone
    says: 'A webhook.test with contract_version 3, though signed, is refused: requests say 2 in all versions.',
    hint: 'Answer 400 where contract_version is not the integer 2.',
    check: async (session) => expectRefusal(await session.test({ envelope: { contract_version: 3 } })),
  },
  'test-writes-nothing': {
    says: 'A webhook.test writes nothing, even if its data look like a stored article.',
    hint: 'Answer webhook.test without touching your store.',
    needs: ['lookup-200'],
    check: async (session) => {
      const { data, url } = await session.main();
      const posing = session.article(data.id, { content_html: '<p>From a test</p>' });
      const test = { ...sampleTest({ id: data.id }), ...posing };
      await session.unchangedBy(url(), () => session.send('webhook.test', test));
    },
  },
});
