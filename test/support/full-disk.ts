import fs from 'node:fs';
import test from 'ava';

/** Every write to it fails as on a full disk; only Linux has it. */
export const FULL = '/dev/full';

/** A test that needs it; elsewhere it is reported as skipped. */
export const onLinux = fs.existsSync(FULL) ? test : test.skip;
