import fs from 'node:fs';
import { join } from 'node:path';
import { variablesIn } from '../child-environment.js';
import { readEnvironment } from '../config/environment.js';
import type { Settings } from '../config/load.js';
import { listedSecrets, secretsIn } from '../config/secrets.js';
import { headerNames } from '../contract/service.js';
import type { SiteFacts } from '../deploy/facts.js';
import { PressmarkError } from '../errors.js';
import { writeAtomically } from '../fs/atomic-write.js';
import { versionAt } from '../fs/fingerprint.js';
import type { SetupService } from '../host/admin/setup-service.js';
import type { Log } from '../log.js';
import type { SigningSecrets } from '../webhook/receive.js';
import { newSecret, withVariables } from './init/env-file.js';
import { underSettingsLock } from './plugins/settings-store.js';

/** How long the previous secret is accepted, in milliseconds, as deliveries signed with it may be on their way. */
const OLD_LIVES_MS = 86_400_000;

/** The shortest interval between reads of `.env` after wrong signatures, in milliseconds: anyone can send them. */
const LOOK_EVERY_MS = 1_000;

/** A secret that can be written to `.env` without quotes. Commas separate several secrets. */
const POSSIBLE = /^[\x21-\x26\x28-\x2b\x2d-\x7e]{8,200}$/;

/** The signing secrets of a running receiver; see `openSecrets`. */
export interface LiveSecrets extends SigningSecrets {
  /** The secrets that are accepted now, newest first. */
  now(): readonly string[];
  /** Until when earlier secrets are accepted, ISO 8601; undefined if there are none. */
  readonly oldUntil: string | undefined;
  /**
   * Sets a new secret; earlier secrets are accepted for another day. Durable when the promise resolves; applies in this
   * receiver at once.
   *
   * @param given the secret that the service has set. @default a random one
   * @returns the secret.
   * @throws PressmarkError USAGE if the environment sets the secret, or the value is not allowed.
   */
  renew(given?: string): Promise<string>;
}

/** Opens the secrets of the settings: which are accepted now, and how to set a new one. */
export function openSecrets(settings: Settings, now: () => number = Date.now): LiveSecrets {
  const { dir, environment } = settings;
  let { secrets, oldSecrets } = settings;
  let lookedAt = Number.NEGATIVE_INFINITY;
  /** The version of `.env` that the secrets come from; undefined before it was read here. */
  let version: string | undefined;

  const live = () => {
    if (oldSecrets === undefined || now() < Date.parse(oldSecrets.until)) return secrets;
    const { secrets: old } = oldSecrets;
    return secrets.filter((secret) => !old.includes(secret));
  };

  /** Reads `.env` again, as another receiver or a person may have set a new secret. */
  function reread(): boolean {
    if (environment.PRESSMARK_SECRET || now() - lookedAt < LOOK_EVERY_MS) return false;
    lookedAt = now();
    const found = versionAt(join(dir, '.env'));
    if (found === undefined || found === version) return false;
    version = found;
    try {
      const read = secretsIn(readEnvironment(settings));
      // The file is half-written or wrong; the next start reports it.
      if (typeof read === 'string' || read.secrets.length === 0) return false;
      ({ secrets, oldSecrets } = read);
      return true;
    } catch {
      return false; // it cannot be read
    }
  }

  async function renew(given?: string): Promise<string> {
    if (environment.PRESSMARK_SECRET)
      throw new PressmarkError(
        'USAGE',
        'PRESSMARK_SECRET is set in the environment, which goes before .env: set it to the new secret there, then a comma and the old one, and restart',
      );
    const secret = given ?? newSecret();
    if (!POSSIBLE.test(secret))
      throw new PressmarkError(
        'USAGE',
        'a secret has 8 to 200 letters, digits and marks, without commas, spaces and apostrophes; nothing was changed',
      );
    await underSettingsLock(settings, async () => {
      // Another receiver or a person may have set a secret since.
      const path = realPath(join(dir, '.env'));
      const text = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
      const before = [...new Set([...listedSecrets(variablesIn(text).PRESSMARK_SECRET), ...live()])];
      if (before[0] === secret)
        throw new PressmarkError('USAGE', 'this is the secret that is live already; nothing was changed');
      const old = before.filter((one) => one !== secret);
      const until = new Date(now() + OLD_LIVES_MS).toISOString();
      const changed = withVariables(text, {
        PRESSMARK_SECRET: secret,
        PRESSMARK_OLD_SECRET: old.length === 0 ? undefined : old.join(','),
        PRESSMARK_OLD_SECRET_UNTIL: old.length === 0 ? undefined : until,
      });
      await writeAtomically(path, changed, 0o600);
      secrets = [secret, ...old];
      oldSecrets = old.length === 0 ? undefined : { secrets: old, until };
    });
    return secret;
  }

  return {
    now: live,
    reread,
    get oldUntil() {
      return live().length > 1 ? oldSecrets?.until : undefined;
    },
    renew,
  };
}

/** Resolves a `.env` that is a symbolic link. */
function realPath(path: string): string {
  return fs.existsSync(path) ? fs.realpathSync(path) : path;
}

/** The shortest secret whose end is shown. */
const SHORTEST_SHOWN = 16;

/** Creates the service `setup` for the admin. */
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
