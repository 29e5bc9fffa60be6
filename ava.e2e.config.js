import config, { compiledTests } from './ava.config.js';

// What needs more than Node, git and util-linux; `npm run test:e2e` installs it.
export default { ...config, files: compiledTests('e2e/', ['e2e/tools/']), concurrency: 2 };
