/** What the benchmarks use of autocannon, which brings no types. */
declare module 'autocannon' {
  interface Request {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Uint8Array;
  }

  interface Result {
    /** Seconds that it took. */
    readonly duration: number;
    readonly '2xx': number;
    readonly non2xx: number;
    readonly errors: number;
  }

  export default function autocannon(options: {
    readonly url: string;
    readonly connections: number;
    readonly amount: number;
    readonly requests: readonly { setupRequest(): Request }[];
  }): Promise<Result>;
}
