/** The fields of an object. */
export type Fields = Record<string, unknown>;

/** An answer that should be sent, or the lack of one. */
export interface Outgoing {
  readonly status: number;
  readonly json?: Fields | undefined;
  /** Is sent instead of the JSON. */
  readonly text?: string;
  readonly headers?: Record<string, string>;
  /** Never answers. */
  readonly hang?: boolean;
  /** Closes the connection without an answer. */
  readonly cut?: boolean;
}

/** An answer with another status than 200. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function refuse(status: number, message: string): never {
  throw new Refusal(status, message);
}

/** The fields of an object. @throws Refusal with 400 if the value is not an object. */
export function fields(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  return refuse(400, 'an object');
}
