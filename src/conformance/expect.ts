import { DomUtils, parseDocument } from 'htmlparser2';
import { messageOf } from '../errors.js';
import { objectIn, shown } from '../sender/delivery/answer-checks.js';
import type { Outcome } from './outcome.js';
import type { Answer, Reply } from './transport/probe.js';

/** Thrown if the receiver breaks a rule, with the contract's expectation and the actual result. */
export class Unmet extends Error {
  readonly expected: string;
  readonly got: string;
  /** How to fix this receiver, if more is known than the rule's hint. */
  readonly fix: string | undefined;

  constructor(expected: string, got: string, fix?: string) {
    super(`expected ${expected}, got ${got}`);
    this.name = 'Unmet';
    this.expected = expected;
    this.got = got;
    this.fix = fix;
  }
}

/** Thrown if a rule cannot be checked in this run; the message gives the reason. */
export class NotChecked extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'NotChecked';
  }
}

/**
 * The outcome of a rule for the error of its check. @param isMust whether a broken rule is a failure; otherwise it is advice.
 */
export function outcomeOfError(
  error: unknown,
  isMust: boolean,
  redact: (text: string) => string,
): Pick<Outcome, 'result' | 'expected' | 'got' | 'why'> {
  if (error instanceof NotChecked) return { result: 'not checked', why: redact(error.message) };
  if (!(error instanceof Unmet)) return { result: 'error', why: redact(messageOf(error)) };
  return { result: isMust ? 'failed' : 'advice', expected: redact(error.expected), got: redact(error.got) };
}

/** The JSON object in an answer's body. */
export type Fields = Readonly<Record<string, unknown>>;

/** Describes an answer briefly, with the beginning of its body. */
export function describe(reply: Reply): string {
  if (reply.kind === 'silence') return `no answer (${reply.reason})`;
  if (reply.headers.location !== undefined && reply.status < 400)
    return `${reply.status}, a redirect to ${excerpt(reply.headers.location)}`;
  return reply.text === '' ? `${reply.status}, empty body` : `${reply.status} ${excerpt(reply.text)}`;
}

/** The beginning of a foreign text. */
export function excerpt(text: string, max = 160): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

/** Whether the status is 2xx. */
export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status <= 299;
}

/** @throws Unmet */
export function expectThat(holds: boolean, expected: string, got: string): void {
  if (!holds) throw new Unmet(expected, got);
}

/** The answer of a reply. @throws Unmet if there is none. */
export function answered(reply: Reply): Answer {
  if (reply.kind === 'silence') throw new Unmet('an answer', describe(reply));
  return reply;
}

/** @throws Unmet */
export function expectStatus(answer: Answer, status: number): void {
  expectThat(answer.status === status, `status ${status}`, describe(answer));
}

/** @throws Unmet */
export function expectSuccess(answer: Answer): void {
  expectThat(isSuccess(answer), 'a status from 200 to 299', describe(answer));
}

/** @throws Unmet */
export function expectRefusal(answer: Answer): void {
  expectThat(!isSuccess(answer), 'a status other than 2xx', describe(answer));
}

/** @throws Unmet */
export function expectNoRedirect(answer: Answer): void {
  expectThat(answer.status < 300 || answer.status > 399, 'no redirect', describe(answer));
}

/** `{"error": message}` (contract: Errors). @throws Unmet */
export function expectErrorBody(answer: Answer): void {
  const { error } = fieldsOf(answer);
  expectThat(typeof error === 'string' && error !== '', 'a nonempty text error', `error ${shown(error)}`);
}

/** Deeply equal values, compared as JSON. @throws Unmet */
export function expectEqual(what: string, expected: unknown, got: unknown): void {
  if (JSON.stringify(expected) !== JSON.stringify(got))
    throw new Unmet(`${what} ${shown(expected)}`, `${what} ${shown(got)}`);
}

/** Shows where two long texts differ. @throws Unmet */
export function expectSameText(what: string, expected: string, got: unknown): void {
  if (got === expected) return;
  if (typeof got !== 'string') throw new Unmet(`${what}, unchanged`, shown(got));
  let at = 0;
  while (at < expected.length && expected[at] === got[at]) at++;
  const around = (text: string) => shown(text.slice(Math.max(0, at - 15), at + 45));
  throw new Unmet(
    `${what}, unchanged; at character ${at}: ${around(expected)}`,
    `${around(got)} (${got.length} characters where ${expected.length} were sent)`,
  );
}

/**
 * Expects the same elements and texts. Their spelling is up to the receiver, and the comment has its own rule. @throws Unmet
 */
export function expectSameHtml(what: string, expected: string, got: unknown): void {
  if (got === expected) return;
  if (typeof got === 'string' && withoutComments(got) === withoutComments(expected)) return;
  expectSameText(what, expected, got);
}

function withoutComments(html: string): string {
  const document = parseDocument(html);
  for (const comment of DomUtils.find(({ type }) => type === 'comment', document.childNodes, true, Infinity))
    DomUtils.removeElement(comment);
  return DomUtils.getOuterHTML(document).trim();
}

/** The JSON object in an answer's body. @throws Unmet */
export function fieldsOf(answer: Answer): Fields {
  const fields = objectIn(answer.text);
  if (fields === undefined) throw new Unmet('a JSON object as the body', describe(answer));
  return fields;
}

/** The JSON object in an answer's body, or an empty one: Version 1 and 2 may answer anything. */
export function looseFieldsOf({ text }: Answer): Fields {
  return objectIn(text) ?? {};
}
