import type { Settings } from '../config/load.js';
import { headerNames } from '../contract/service.js';
import type { SiteFacts } from '../deploy/facts.js';
import type { SetupService } from '../host/admin/setup-service.js';
import type { Log } from '../log.js';
import type { LiveSecrets } from './secrets.js';

/** Shorter secrets are not shown in part. */
const SHORTEST_SHOWN = 16;

/** What the admin knows of how a receiver is set up. */
export function createSetupService(
  settings: Settings,
  secrets: LiveSecrets,
  facts: () => SiteFacts,
  log: Log,
): SetupService {
  const { siteUrl, endpoint, service, environment, inForce } = settings;
  return {
    now: () => {
      const [newest = ''] = secrets.now();
      return {
        siteUrl,
        endpoint,
        signatureHeader: headerNames(service).signature,
        secret: {
          end: newest.length < SHORTEST_SHOWN ? '' : newest.slice(-4),
          oldUntil: secrets.oldUntil,
          isFromEnvironment: Boolean(environment.PRESSMARK_SECRET),
        },
        testedAt: facts().test?.at,
        settings: inForce,
      };
    },
    renewSecret: async (given) => {
      const secret = await secrets.renew(given);
      log.info({ oldUntil: secrets.oldUntil ?? null }, 'there is a new signing secret, which counts at once');
      return secret;
    },
  };
}
