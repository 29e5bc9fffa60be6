import { ERROR_TEXT_CHARS, MAX_ATTEMPTS } from '../../../contract/limits.js';
import { expectEqual, expectThat, NotChecked } from '../../expect.js';
import type { DeliveryRecord } from '../driver.js';
import { articleTrace, refreshTrace, type Seen, senderRules, type UnnumberedRule } from '../rule.js';
import { attemptsOf, LONG_ERROR, PATHS, type Trace } from '../scenarios.js';

type When = 'early' | 'late';

/** The record of a delivery, after the first attempts or at the end. @throws NotChecked where records are not shown. */
function recordOf({ records }: Seen, when: When, trace: Trace): DeliveryRecord {
  if (records === undefined) throw new NotChecked('this sender’s records are not shown to the check');
  const id = attemptsOf(trace)[0]?.first.data.id;
  const record = records[when].find(({ article }) => article === id);
  if (record === undefined) throw new NotChecked(`there is no record of ${id}`);
  return record;
}

function expectRecord(record: DeliveryRecord, columns: Partial<DeliveryRecord>): void {
  for (const [name, value] of Object.entries(columns))
    expectEqual(name, value, record[name as keyof DeliveryRecord]);
}

/** The columns of the delivery record (contract: Delivery record). */
export const RECORD_RULES: readonly UnnumberedRule[] = senderRules('Delivery record', [
  {
    id: 'record-pending',
    says: 'After a failed attempt the record is pending, with the attempt, its status and the moment of the next.',
    hint: 'Write attempts, lastStatusCode and nextRetryAt together with the state.',
    articles: ['unavailable'],
    check: (seen) => {
      const trace = articleTrace(seen, 'unavailable');
      const record = recordOf(seen, 'early', trace);
      expectRecord(record, { status: 'pending', attempts: 1, lastStatusCode: 503 });
      const wait = Date.parse(record.nextRetryAt ?? '') - (trace.requests[0]?.at ?? 0);
      expectThat(wait >= 59_000, 'nextRetryAt a minute later', `nextRetryAt ${record.nextRetryAt}`);
    },
  },
  {
    id: 'record-success',
    says: 'After a 2xx the record is success, and nextRetryAt null.',
    hint: 'Write the state and nextRetryAt together.',
    articles: ['accepted'],
    check: (seen) =>
      expectRecord(recordOf(seen, 'late', articleTrace(seen, 'accepted')), {
        status: 'success',
        attempts: 1,
        lastStatusCode: 200,
        nextRetryAt: null,
      }),
  },
  {
    id: 'record-failed',
    says: 'After the last retry the record is failed, with six attempts and nextRetryAt null.',
    hint: 'Fail the delivery at the sixth attempt.',
    articles: ['unavailable'],
    check: (seen) => {
      const trace = articleTrace(seen, 'unavailable');
      const { length } = attemptsOf(trace);
      if (length < MAX_ATTEMPTS && !trace.overdue)
        throw new NotChecked(`the check ended after ${length} attempts`);
      expectRecord(recordOf(seen, 'late', trace), {
        status: 'failed',
        attempts: MAX_ATTEMPTS,
        lastStatusCode: 503,
        nextRetryAt: null,
      });
    },
  },
  {
    id: 'record-conflict',
    says: 'After a 409 to an update the record is failed, with one attempt.',
    hint: 'Fail the delivery at once.',
    articles: ['accepted'],
    refreshes: ['conflict'],
    check: (seen) =>
      expectRecord(recordOf(seen, 'late', refreshTrace(seen, 'conflict')), {
        status: 'failed',
        attempts: 1,
        lastStatusCode: 409,
        nextRetryAt: null,
      }),
  },
  {
    id: 'record-no-status',
    says: 'After an attempt without an answer lastStatusCode is null.',
    hint: 'Clear the status where a connection fails.',
    articles: ['closed'],
    check: (seen) =>
      expectRecord(recordOf(seen, 'early', articleTrace(seen, 'closed')), {
        status: 'pending',
        lastStatusCode: null,
      }),
  },
  {
    id: 'record-error',
    says: 'lastError has the first 200 characters of the answer’s body, and no more of it.',
    hint: 'Cut the body by characters, not by bytes.',
    articles: ['unavailable'],
    check: (seen) => {
      const { lastError } = recordOf(seen, 'early', articleTrace(seen, 'unavailable'));
      const body = JSON.stringify({ error: LONG_ERROR });
      const kept = lastError?.includes(body.slice(0, ERROR_TEXT_CHARS)) ?? false;
      expectThat(kept, `lastError with ${body.slice(0, 40)}… to its 200th character`, `${lastError}`);
      expectThat(
        !lastError?.includes(body.slice(0, ERROR_TEXT_CHARS + 1)),
        'no more than 200 characters of the body',
        `${lastError}`,
      );
    },
  },
  {
    id: 'record-url',
    says: 'The record keeps the URL that the payload was queued for.',
    hint: 'Copy the URL into the delivery when it is queued.',
    articles: ['edited'],
    check: (seen) => {
      const { url } = recordOf(seen, 'late', articleTrace(seen, 'edited'));
      expectThat(new URL(url).pathname === PATHS.registered, `a URL with ${PATHS.registered}`, url);
    },
  },
]);
