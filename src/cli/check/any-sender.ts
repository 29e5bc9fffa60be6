import { setTimeout as pause } from 'node:timers/promises';
import type { SenderDriver, Step } from '../../conformance/sender/driver.js';
import { CLOCK } from '../../sender/clock.js';
import { askPerson } from './ask-person.js';

/** How long to wait after a step for requests that must not come, in milliseconds. */
const QUIET_MS = 2000;

/**
 * Drives any sender in real time by asking a person for each step.
 *
 * @param isNewSecret whether the secret was created for this check, so that it must be shown.
 * @param signal ends waits.
 */
export function anySender(isNewSecret: boolean, signal: AbortSignal): SenderDriver {
  return {
    now: Date.now,
    take: async (step, seen) => {
      await askPerson(`${requestOf(step, isNewSecret)} (press Enter to continue without it)`, signal, seen);
      await pause(QUIET_MS);
    },
    passTo: (moment) => CLOCK.wait(Math.max(0, moment - Date.now()), signal),
  };
}

function requestOf(step: Step, isNewSecret: boolean): string {
  switch (step.kind) {
    case 'connect':
      return `Point your service at ${step.url} ${isNewSecret ? `with the secret ${step.secret}` : 'with the secret that you gave'}`;
    case 'publish':
      return `Publish ${step.count} new article${step.count === 1 ? '' : 's'}.`;
    case 'refresh':
      return `Refresh the article ${step.url}`;
    case 'kill':
      return 'An article is being sent: end your service at once, as with kill -9, and start it again.';
  }
}
