import type { LookupTarget } from '../../contract/answers.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { CAPABILITIES, ERROR_TEXT_CHARS } from '../../contract/limits.js';
import { quote } from '../../errors.js';
import type { Reply } from './transport.js';

/** The content of an answer, or the rule of the contract that it breaks. */
export type Checked<T> = { readonly value: T } | { readonly refusal: string };

/** The result of a `webhook.test`. */
export interface Connection {
  readonly version: 1 | 2 | 3;
  /** Why the receiver cannot get refreshes; undefined if it can. */
  readonly noRefresh: string | undefined;
}

/** Statuses of receivers without `webhook.test`, which answer it as an unsupported event (contract: Errors). */
const UNSUPPORTED = [400, 422, 501];

/** Statuses of servers without a webhook: failed requests like any other 4xx (contract: Errors), and not a version. */
const NO_WEBHOOK = [404, 405];

/** The fields of a lookup's target (contract: Lookup target). */
const TARGET_FIELDS = ['id', 'url', 'revision_id', 'title', 'content_html'] as const;

/** The beginning of an answer's body. @default 200 characters, the length of the error text (contract: Limits) */
export function beginningOf({ body }: Pick<Reply, 'body'>, chars = ERROR_TEXT_CHARS): string {
  // A character has four bytes at most; the rest of a large page is not decoded.
  const start = body.subarray(0, chars * 4 + 4).toString('utf8');
  return [...start].slice(0, chars).join('');
}

/** Describes a failed answer: its status, the target of a redirect, the start of its body. */
export function statusText(reply: Reply): string {
  const { status, headers, redirectRefused } = reply;
  const text = beginningOf(reply);
  const words = text === '' ? '' : `: ${text}`;
  if (status < 300 || status > 399) return `HTTP ${status}${words}`;
  const to = headers.location === undefined ? '' : ` to ${quote(headers.location, 200)}`;
  const why = redirectRefused === undefined ? '' : ` (${redirectRefused})`;
  return `HTTP ${status}${to}${why}${words}`;
}

/**
 * The version of a receiver, by its answer to `webhook.test` (contract: Versioning).
 *
 * @returns a refusal if the test failed: without an answer through this URL and secret, a receiver has no version.
 */
export function checkTest(reply: Reply): Checked<Connection> {
  const { status } = reply;
  if (UNSUPPORTED.includes(status)) return versionOne(`webhook.test was answered with ${status}`);
  if (status === 401)
    return {
      refusal: `the receiver does not accept the signature; check the secret and the name of the service: ${statusText(reply)}`,
    };
  if (NO_WEBHOOK.includes(status))
    return {
      refusal: `there is no webhook at this URL; correct it, or let a Version 1 receiver answer 400 to events that it does not know: ${statusText(reply)}`,
    };
  if (status < 200 || status > 299) return { refusal: statusText(reply) };
  if (reply.incomplete !== undefined) return { refusal: `the answer to webhook.test ${reply.incomplete}` };
  const json = objectOf(reply) ?? {};
  const version = versionOf(status, json);
  if (version !== 1) return { value: { version, noRefresh: undefined } };
  const missing = missingCapabilities(json);
  if (json.contract_version !== 2 && json.contract_version !== 3)
    return versionOne('the answer to webhook.test reports no contract_version 2 or 3');
  if (status !== 200) return versionOne(`webhook.test was answered with ${status}, not with 200`);
  if (json.received !== true) return versionOne('the answer to webhook.test has no received: true');
  if (missing.length === CAPABILITIES.length)
    return versionOne('the answer to webhook.test reports no capabilities');
  const noRefresh = `a refresh needs all three capabilities; the receiver does not report ${missing.join(', ')}`;
  return { value: { version, noRefresh } };
}

/**
 * The version in an answer to `webhook.test`. Any answer that is not completely one of Version 2 or 3 means Version 1
 * (contract: webhook.test).
 */
export function versionOf(status: number, json: Readonly<Record<string, unknown>>): 1 | 2 | 3 {
  const { received, contract_version: version } = json;
  if (status !== 200 || received !== true || missingCapabilities(json).length > 0) return 1;
  return version === 2 || version === 3 ? version : 1;
}

function missingCapabilities({ capabilities }: Readonly<Record<string, unknown>>) {
  return CAPABILITIES.filter((one) => !(Array.isArray(capabilities) && capabilities.includes(one)));
}

function versionOne(why: string): Checked<Connection> {
  return { value: { version: 1, noRefresh: `a Version 2 receiver is required: ${why}` } };
}

/**
 * The target in a lookup's answer (contract: Lookup target).
 *
 * @param requested the URL that was looked up.
 */
export function checkLookup(reply: Reply, requested: string): Checked<LookupTarget> {
  const checked = checkAnswer(reply);
  if ('refusal' in checked) return checked;
  const { target } = checked.value;
  if (typeof target !== 'object' || target === null) return refusal(reply, 'target is missing in the answer');
  const fields = target as Readonly<Record<string, unknown>>;
  const bad = TARGET_FIELDS.find((name) => typeof fields[name] !== 'string' || fields[name] === '');
  if (bad !== undefined)
    return refusal(reply, `target.${bad} must be a nonempty string, got ${shown(fields[bad])}`);
  const found = fields as unknown as LookupTarget;
  const canonical = canonicalUrl(found.url);
  if (canonical === undefined || canonical !== canonicalUrl(requested))
    return refusal(
      reply,
      `target.url ${quote(found.url, 200)} is not the address that was asked for, ${quote(requested, 200)}`,
    );
  const { id, url, revision_id, title, content_html } = found;
  return { value: { id, url, revision_id, title, content_html } };
}

/** Whether an update has landed (contract: article.updated, step 6). */
export function checkUpdated(reply: Reply, revisionId: string): Checked<true> {
  const checked = checkAnswer(reply);
  if ('refusal' in checked) return checked;
  const { revision_id: stored } = checked.value;
  return stored === revisionId
    ? { value: true }
    : refusal(reply, `revision_id must be ${quote(revisionId)} in the answer, got ${shown(stored)}`);
}

/** The common checks of answers to lookup and update (contract: Events, Rules). */
function checkAnswer(reply: Reply): Checked<Readonly<Record<string, unknown>>> {
  if (reply.status !== 200) return { refusal: statusText(reply) };
  if (reply.incomplete !== undefined) return refusal(reply, `the answer ${reply.incomplete}`);
  const json = objectOf(reply);
  if (json === undefined) return refusal(reply, 'the answer must be a JSON object');
  if (json.received !== true)
    return refusal(reply, `received must be true in the answer, got ${shown(json.received)}`);
  const { contract_version: version } = json;
  if (version !== 2 && version !== 3)
    return refusal(reply, `contract_version must be 2 or 3 in the answer, got ${shown(version)}`);
  return { value: json };
}

/**
 * The refusal of a 200 that breaks a rule, with the start of its body, like the error of any answer (contract: Limits, Stored
 * error text).
 */
function refusal(reply: Reply, rule: string): { readonly refusal: string } {
  const text = beginningOf(reply);
  return { refusal: `${rule}; ${text === '' ? 'its body is empty' : `the answer: ${text}`}` };
}

/** The JSON object in a complete answer; undefined if there is none. */
export function objectOf({ body, incomplete }: Reply): Readonly<Record<string, unknown>> | undefined {
  return incomplete === undefined ? objectIn(body.toString('utf8')) : undefined;
}

/** The JSON object in a text; undefined if there is none. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json)
      ? (json as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined; // a SyntaxError: not JSON
  }
}

/** Formats a foreign JSON value for a message. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
