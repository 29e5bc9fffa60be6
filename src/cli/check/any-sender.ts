import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { childEnvironment } from '../../child-environment.js';
import { NotChecked } from '../../conformance/expect.js';
import type { SenderDriver, Step } from '../../conformance/sender/driver.js';
import { PressmarkError } from '../../errors.js';
import { CLOCK } from '../../sender/clock.js';
import { askPerson } from './ask-person.js';

export interface AnySenderOptions {
  /** How many times as fast as the machine's the sender's time passes. */
  readonly speed: number;
  /** Takes the steps, with their names as arguments; without it a person is asked. */
  readonly command: string | undefined;
  /** Whether the secret was made for this check, so that the person has to be shown it. */
  readonly isNewSecret: boolean;
  /** Ends waits. */
  readonly signal: AbortSignal;
}

/** A command may end before its sender has sent anything; so long it is waited for, in milliseconds. */
const LAG_MS = 60_000;
/** So long it is looked whether a request comes that must not. */
const QUIET_MS = 2000;

/** Drives any sender, over real time or as much faster as its own time passes: by a command, or by asking a person. */
export function anySender({ speed, command, isNewSecret, signal }: AnySenderOptions): SenderDriver {
  const began = Date.now();
  const now = () => began + (Date.now() - began) * speed;
  return {
    now,
    speed,
    take: async (step, seen) => {
      if (command === undefined)
        await askPerson(`${requestOf(step, isNewSecret)} (Enter goes on without it)`, signal, seen);
      else {
        await run(command, step);
        await Promise.race([seen, pause(LAG_MS, undefined, { ref: false })]);
      }
      await pause(QUIET_MS);
    },
    passTo: (moment) => CLOCK.wait(Math.max(0, moment - now()) / speed, signal),
  };
}

/** @throws NotChecked where the command fails at what not every sender can do, else USAGE. */
async function run(command: string, step: Step): Promise<void> {
  const child = spawn('/bin/sh', ['-c', `${command} "$@"`, 'sh', ...wordsOf(step)], {
    env: childEnvironment(),
    stdio: ['ignore', 2, 2], // standard output is for the report
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code === 0) return;
  const message = `the command for ${step.kind} ended with ${code ?? 'a signal'}`;
  const isOptional = step.kind === 'refresh' || step.kind === 'kill';
  throw isOptional ? new NotChecked(message) : new PressmarkError('USAGE', message);
}

function wordsOf(step: Step): string[] {
  switch (step.kind) {
    case 'connect':
      return ['connect', step.url, step.secret];
    case 'publish':
      return ['publish', String(step.count)];
    case 'refresh':
      return ['refresh', step.url];
    case 'kill':
      return ['kill'];
  }
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
