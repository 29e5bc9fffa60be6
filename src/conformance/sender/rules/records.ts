import { ERROR_TEXT_CHARS, MAX_ATTEMPTS } from '../../../contract/limits.js';
import { expectEqual, expectThat, NotChecked } from '../../expect.js';
import { rulesWith } from '../../rule-list.js';
import type { DeliveryRecord } from '../driver.js';
import { ofArticle, ofRefresh, type Play, type Seen } from '../rule.js';
import { attemptsOf, LONG_ERROR, PATHS, type Trace } from '../scenarios.js';

const LIST = `
# Delivery record
81 record-pending: After a failed attempt the record is pending, with the attempt, its status and the time of the next attempt.
  Write attempts, lastStatusCode and nextRetryAt together with the state.
82 record-success: After a 2xx the record is success, and nextRetryAt is null.
  Write the state and nextRetryAt together.
83 record-failed: After the last retry the record is failed, with six attempts and nextRetryAt null.
  Fail the delivery at the sixth attempt.
84 record-conflict: After a 409 to an update the record is failed, with one attempt.
  Fail the delivery at once.
85 record-no-status: After an attempt without an answer lastStatusCode is null.
  Clear the status if the connection fails.
86 record-error: lastError has the first 200 characters of the answer’s body, and no more of it.
  Cut the body by characters, not by bytes.
87 record-url: The record keeps the URL that the payload was queued for.
  Copy the URL into the delivery when it is queued.
`;

type When = 'early' | 'late';

/**
 * The record of a delivery, after the first attempts or at the end.
 *
 * @throws NotChecked if no attempt came, or if the sender shows no records or none of this delivery.
 */
function recordOf({ records }: Seen, when: When, trace: Trace): DeliveryRecord {
  if (records === undefined) throw new NotChecked('the check cannot read the records of this sender');
  const [attempt] = attemptsOf(trace);
  if (attempt === undefined) throw new NotChecked('no attempt came for it');
  const { id } = attempt.first.data;
  const record = records[when].find(({ article }) => article === id);
  if (record === undefined) throw new NotChecked(`there is no record of ${id}`);
  return record;
}

function expectRecord(record: DeliveryRecord, columns: Partial<DeliveryRecord>): void {
  for (const [name, value] of Object.entries(columns))
    expectEqual(name, value, record[name as keyof DeliveryRecord]);
}

/** The columns of the delivery record (contract: Delivery record). */
export const RECORD_RULES = rulesWith<Play>(LIST, {
  'record-pending': ofArticle('unavailable', (trace, seen) => {
    const record = recordOf(seen, 'early', trace);
    expectRecord(record, { status: 'pending', attempts: 1, lastStatusCode: 503 });
    const wait = Date.parse(record.nextRetryAt ?? '') - (trace.requests[0]?.at ?? 0);
    expectThat(wait >= 59_000, 'nextRetryAt a minute later', `nextRetryAt ${record.nextRetryAt}`);
  }),
  'record-success': ofArticle('accepted', (trace, seen) =>
    expectRecord(recordOf(seen, 'late', trace), {
      status: 'success',
      attempts: 1,
      lastStatusCode: 200,
      nextRetryAt: null,
    }),
  ),
  'record-failed': ofArticle('unavailable', (trace, seen) => {
    const { length } = attemptsOf(trace);
    if (length < MAX_ATTEMPTS && !trace.overdue)
      throw new NotChecked(`the check ended after ${length} attempts`);
    expectRecord(recordOf(seen, 'late', trace), {
      status: 'failed',
      attempts: MAX_ATTEMPTS,
      lastStatusCode: 503,
      nextRetryAt: null,
    });
  }),
  'record-conflict': ofRefresh('conflict', (trace, seen) =>
    expectRecord(recordOf(seen, 'late', trace), {
      status: 'failed',
      attempts: 1,
      lastStatusCode: 409,
      nextRetryAt: null,
    }),
  ),
  'record-no-status': ofArticle('closed', (trace, seen) =>
    expectRecord(recordOf(seen, 'early', trace), { status: 'pending', lastStatusCode: null }),
  ),
  'record-error': ofArticle('unavailable', (trace, seen) => {
    const { lastError } = recordOf(seen, 'early', trace);
    const body = JSON.stringify({ error: LONG_ERROR });
    const kept = lastError?.includes(body.slice(0, ERROR_TEXT_CHARS)) ?? false;
    expectThat(kept, `lastError with ${body.slice(0, 40)}… to its 200th character`, `${lastError}`);
    expectThat(
      !lastError?.includes(body.slice(0, ERROR_TEXT_CHARS + 1)),
      'no more than 200 characters of the body',
      `${lastError}`,
    );
  }),
  'record-url': ofArticle('edited', (trace, seen) => {
    const { url } = recordOf(seen, 'late', trace);
    expectThat(new URL(url).pathname === PATHS.registered, `a URL with ${PATHS.registered}`, url);
  }),
});
