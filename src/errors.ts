/**
 * The error codes and their HTTP statuses. Codes are public (they are in logs and in plugins' `delivery.refused`) and never
 * reused.
 */
const STATUS = {
  // reasons to refuse a delivery (contract: Errors)
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
  // failures on our side; the service tries again
  FILTER_FAILED: 500,
  STORE_FAILED: 500,
  RECEIVER_BUSY: 503,
  LOCK_TIMEOUT: 503,
  STOPPING: 503,
  PERMALINK_WRONG: 503,
  COMMIT_FAILED: 503,
  REMOTE_UNAVAILABLE: 503,
  REMOTE_DECLINED: 500,
  // errors of commands
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

/** The options of a `PressmarkError`. */
export interface PressmarkErrorOptions extends ErrorOptions {
  readonly details?: Readonly<Record<string, string>>;
  /** The message for the sender of a delivery, if `message` contains words that are not ours. @default the message */
  readonly publicMessage?: string;
  /** The HTTP status, if a plugin has chosen one. @default the status of the code */
  readonly status?: number;
}

/**
 * An error for people. Its message says what is wrong, with which value, and what to do. It may be shown to the sender of a
 * delivery, so it never contains a secret or a path of the machine.
 */
export class PressmarkError extends Error {
  readonly code: ErrorCode;
  /** Further fields of the answer to a delivery, by their names. */
  readonly details: Readonly<Record<string, string>>;
  /** The message for the sender of a delivery. */
  readonly publicMessage: string;
  /** The HTTP status of the answer. */
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

/** Whether an error means that a file or folder does not exist. */
export function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');
}

/** The message of an unknown thrown value, in one line. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Quotes a foreign value for a message: as JSON, shortened to `max` characters. */
export function quote(value: unknown, max = 40): string {
  const text = typeof value === 'string' ? value : String(value);
  return JSON.stringify(text.length > max ? `${text.slice(0, max)}…` : text);
}

/** "; did you mean x?" if most of a known name is in a mistyped one, otherwise empty. */
export function didYouMean(name: string, known: Iterable<string>): string {
  let best: string | undefined;
  let least = Math.min(Math.max(2, Math.floor(name.length / 3)) + 1, Math.ceil(name.length / 2));
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
