import { createRandom } from '../support/random.js';
import { killBuilds, type SiteKills } from '../support/site-kills.js';
import type { Scenario } from './scenario.js';

export const site: Scenario = {
  name: 'site',
  promise:
    'Whenever a builder is killed, no page is incomplete or empty, and the next build makes the same site as a clean one.',
  weight: 1,
  run: async ({ dir, seed, deadline }) => {
    const isOver = ({ during, after }: SiteKills) => during + after > 0 && performance.now() > deadline;
    const { during, after } = await killBuilds(dir, createRandom('site builders', seed), isOver);
    return { killsDuringBuild: during, killsAfter: after };
  },
};
