/**
 * The one table of what can go wrong: code -> HTTP status.
 * Codes are public (they are in logs and in plugins' `delivery.refused`) and never reused.
 */
const STATUS = {
  // what a delivery can be refused for (contract: Errors)
  BODY_TOO_LARGE: 413,
  SIGNATURE_MISSING: 401,
  SIGNATURE_MISMATCH: 401,
  ENCODING_UNSUPPORTED: 415,
  TYPE_UNSUPPORTED: 415,
  BODY_ABORTED: 400,
  BODY_INVALID: 400,
  EVENT_UNSUPPORTED: 400,
  CONTRACT_VERSION: 400,
  METHOD_NOT_ALLOWED: 405,
  NOT_FOUND: 404,
  ARTICLE_NOT_FOUND: 404,
  ARTICLE_AMBIGUOUS: 404,
  ARTICLE_UNREADABLE: 404,
  ARTICLE_TOO_LARGE: 404,
  REVISION_CONFLICT: 409,
  REFUSED_BY_PLUGIN: 422,
  // what can fail on our side; the service tries again
  FILTER_FAILED: 500,
  STORE_FAILED: 500,
  RECEIVER_BUSY: 503,
  LOCK_TIMEOUT: 503,
  STOPPING: 503,
  PERMALINK_WRONG: 503,
  COMMIT_FAILED: 503,
  REMOTE_UNAVAILABLE: 503,
  REMOTE_DECLINED: 500,
  // what a person meets on the terminal
  FRONT_MATTER_INVALID: 500,
  FRONT_MATTER_UNSUPPORTED: 500,
  CONFIG_INVALID: 500,
  LOCK_HELPER_MISSING: 500,
  PORT_UNAVAILABLE: 500,
  PLUGIN_INVALID: 500,
  HOOK_UNKNOWN: 500,
  TEMPLATE_FAILED: 500,
  GIT_FAILED: 500,
  POSTBUILD_FAILED: 500,
  UNREACHABLE: 500,
  RECEIVER_REFUSED: 500,
  QUEUE_FAILED: 500,
  ARTICLE_FILE_INVALID: 500,
  BUILD_FAILED: 500,
  DEPLOY_FAILED: 500,
  SITE_TOO_LARGE: 500,
  USAGE: 500,
} as const;

/** A name from the error table. */
export type ErrorCode = keyof typeof STATUS;

/** What else a `PressmarkError` is made from. */
export interface PressmarkErrorOptions extends ErrorOptions {
  readonly details?: Readonly<Record<string, string>>;
  /** What the sender of a delivery gets to read, where the message holds words that are not ours. @default the message */
  readonly publicMessage?: string;
  /** The HTTP status, where a plugin has chosen another. @default that of the table */
  readonly status?: number;
}

/**
 * An error for people. Its message says what was wrong, with which value, and what to do;
 * it may be shown to the sender of a delivery, so it never holds a secret or a path of the machine.
 */
export class PressmarkError extends Error {
  readonly code: ErrorCode;
  /** Values besides the message that the answer to a delivery holds, by the names they have there. */
  readonly details: Readonly<Record<string, string>>;
  /** What the sender of a delivery gets to read. */
  readonly publicMessage: string;
  /** The HTTP status that this error is answered with. */
  readonly status: number;

  constructor(
    code: ErrorCode,
    message: string,
    { details = {}, publicMessage = message, status = STATUS[code], ...options }: PressmarkErrorOptions = {},
  ) {
    super(message, options);
    this.name = 'PressmarkError';
    this.code = code;
    this.details = details;
    this.publicMessage = publicMessage;
    this.status = status;
  }
}

/** The `code` of a Node.js system error such as `ENOSPC`, or undefined for any other value. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether an error says that a file is not there. */
export function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');
}

/** What an unknown thrown value says of itself, in one line. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Quotes a foreign value for a message: JSON, at most `max` characters, so that diagnostics stay short. */
export function quote(value: unknown, max = 40): string {
  const text = typeof value === 'string' ? value : String(value);
  return JSON.stringify(text.length > max ? `${text.slice(0, max)}…` : text);
}

/** "; did you mean x?" where one of the known names is close to a mistyped one, else nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best === undefined ? '' : `; did you mean ${best}?`;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitute, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
