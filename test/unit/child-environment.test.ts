import test from 'ava';
import { childEnvironment } from '../../src/child-environment.js';

test('other programs get no variable that may hold a secret of Pressmark’s', (t) => {
  const env = {
    PRESSMARK_SECRET: 's',
    pressmark_secret: 's',
    PRESSMARK_SECRET_OLD: 's',
    PRESSMARK_DEPLOY_HOOK: 'h',
    PRESSMARK_DEPLOY_TOKEN: 't',
    PRESSMARK_STATUS_TOKEN: 't',
    PRESSMARK_OTHER: 'o',
    PRESSMARK_SITE_URL: 'u',
    HOME: '/',
  };
  t.deepEqual(childEnvironment(env), { PRESSMARK_SITE_URL: 'u', HOME: '/' });
});
