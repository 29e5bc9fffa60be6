/** How often the bar is drawn. */
const EVERY_MS = 80;

const WIDTH = 30;

/** A bar on a terminal that shows how far something is; a pipe sees nothing. */
export interface Progress {
  step(done: number, of: number): void;
  /** Takes the bar away. */
  end(): void;
}

/** A bar on standard error, as standard output is for results. */
export function progressBar({ isTTY, write }: { isTTY?: boolean; write(text: string): unknown }): Progress {
  let next = 0;
  let isShown = false;

  function step(done: number, of: number): void {
    const now = performance.now();
    if (!isTTY || now < next) return;
    next = now + EVERY_MS;
    isShown = true;
    const share = of === 0 ? 1 : Math.min(1, done / of);
    const full = Math.round(share * WIDTH);
    const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full);
    write(`\r${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${done}/${of} files`);
  }

  return { step, end: () => isShown && write('\r\x1b[K') };
}
