import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { childEnvironment } from '../child-environment.js';
import { PressmarkError } from '../errors.js';

/**
 * A program that takes a kernel lock on a file descriptor that it inherits as fd 3. This process keeps the lock by its own
 * descriptor.
 */
export interface LockHelper {
  readonly name: string;
  /**
   * Waits for the exclusive lock on the open file behind `fd`.
   *
   * @returns whether the lock was taken within `seconds`.
   * @throws Error if the program fails.
   */
  take(fd: number, seconds: number): Promise<boolean>;
}

/** flock of util-linux, which can wait for the lock. */
const UTIL_LINUX: LockHelper = {
  name: 'flock (util-linux)',
  take: (fd, seconds) => run('flock', ['-x', '-w', seconds.toFixed(3), '3'], fd),
};

/** flock of busybox, which has no `-w`, so that it is called repeatedly. */
const BUSYBOX: LockHelper = {
  name: 'flock (busybox)',
  take: (fd, seconds) => poll(seconds, () => run('flock', ['-x', '-n', '3'], fd)),
};

/** For systems without flock, such as macOS. */
const PERL: LockHelper = {
  name: 'perl',
  take: (fd, seconds) =>
    poll(seconds, () =>
      run(
        'perl',
        [
          '-MFcntl=:flock',
          '-e',
          'open(my $f, "<&=", 3) or exit 2; exit(flock($f, LOCK_EX | LOCK_NB) ? 0 : 1)',
        ],
        fd,
      ),
    ),
};

/** The helper that was found, by PATH, as starting a program blocks this process. */
const found = new Map<string | undefined, LockHelper>();

/**
 * Finds the lock helper of this machine.
 *
 * @throws PressmarkError LOCK_HELPER_MISSING if there is none.
 */
export function findLockHelper(): LockHelper {
  const env = childEnvironment();
  const helper = found.get(env.PATH) ?? lookFor(env);
  found.set(env.PATH, helper);
  return helper;
}

function lookFor(env: NodeJS.Dict<string>): LockHelper {
  const version = spawnSync('flock', ['--version'], { encoding: 'utf8', env });
  if (version.error === undefined)
    return version.status === 0 && version.stdout.includes('util-linux') ? UTIL_LINUX : BUSYBOX;
  if (spawnSync('perl', ['-MFcntl', '-e', '1'], { env }).status === 0) return PERL;
  throw new PressmarkError(
    'LOCK_HELPER_MISSING',
    'neither flock nor perl was found; install the package util-linux, which brings flock',
  );
}

async function poll(seconds: number, attempt: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    if (await attempt()) return true;
    if (performance.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** @returns whether the program has the lock, by its exit code: 0, or 1 if another process holds it. */
function run(command: string, args: readonly string[], fd: number): Promise<boolean> {
  const options: SpawnOptions = {
    stdio: ['ignore', 'ignore', 'ignore', fd],
    // Ctrl-C on a terminal must not kill the helper while the last deliveries finish.
    detached: true,
    // In locales with a decimal comma, flock refuses `-w 19.5`.
    env: { ...childEnvironment(), LC_ALL: 'C' },
  };
  return new Promise((resolve, reject) => {
    spawn(command, args, options)
      .once('error', reject)
      .once('exit', (code) => {
        if (code === 0) resolve(true);
        else if (code === 1 || code === null) resolve(false);
        else reject(new Error(`${command} ${args.join(' ')} cannot lock a file: exit code ${code}`));
      });
  });
}
