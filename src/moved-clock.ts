import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

/** How far the clock of a process is moved, for its threads. */
const KEY = 'pressmark: moved clock';

/**
 * Has `Date` tell another time in this process and in the threads that it starts from now on, for tests of plugins.
 * Timers run as ever.
 *
 * @returns what moves the clock on, by milliseconds.
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

/** Has `Date` of this thread tell the time of a process whose clock was moved. */
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
