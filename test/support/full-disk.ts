import fs from 'node:fs';
import test from 'ava';

/** Every write to this device fails with ENOSPC, as on a full disk. Only Linux has it. */
export const FULL = '/dev/full';

/** A test that needs /dev/full; on other systems it is reported as skipped. */
export const onLinux = fs.existsSync(FULL) ? test : test.skip;
