import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

/** The key of the process's clock offset, for its threads. */
const KEY = 'pressmark: moved clock';

/**
 * Makes `Date` adjustable in this process and in the threads that it starts from now on, for tests of plugins. Timers are not
 * changed.
 *
 * @returns a function that moves the clock forward, by milliseconds.
 */
export function movableClock(): (ms: number) => void {
  const known: unknown = getEnvironmentData(KEY);
  const buffer = known instanceof SharedArrayBuffer ? known : new SharedArrayBuffer(8);
  if (known === undefined) {
    setEnvironmentData(KEY, buffer);
    follow(buffer);
  }
  const moved = new Float64Array(buffer);
  return (ms) => {
    moved[0] = (moved[0] ?? 0) + ms;
  };
}

/** Makes `Date` of this thread follow the process's moved clock. */
export function followMovedClock(): void {
  const buffer: unknown = getEnvironmentData(KEY);
  if (buffer instanceof SharedArrayBuffer) follow(buffer);
}

function follow(buffer: SharedArrayBuffer): void {
  const moved = new Float64Array(buffer);
  const real = Date;
  const now = () => real.now() + (moved[0] ?? 0);
  globalThis.Date = new Proxy(real, {
    apply: () => new real(now()).toString(),
    construct: (_target, parts, derived) =>
      Reflect.construct(real, parts.length === 0 ? [now()] : parts, derived),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}
