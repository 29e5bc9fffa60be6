import { messageOf } from '../errors.js';
import { withoutHidden } from '../log.js';
import { TimeoutError, within } from '../time-limit.js';
import { asPlugin } from './plugin-code.js';

/** The result of a plugin's health check. */
export interface HealthFinding {
  /** `fail`: the plugin does not work. `warn`: the owner may want it so. */
  readonly level: 'ok' | 'warn' | 'fail';
  readonly text: string;
  /** How to fix it. */
  readonly fix?: string;
}

/** Checks the plugin; returns nothing if there is nothing to report. */
export type HealthCheck = () => MaybeFinding | Promise<MaybeFinding>;

type MaybeFinding = HealthFinding | readonly HealthFinding[] | undefined;

/** A finding and its plugin. */
export interface PluginFinding extends HealthFinding {
  readonly plugin: string;
}

/** How long a check may take, in milliseconds. */
const LONGEST_MS = 5_000;

const LEVELS: ReadonlySet<unknown> = new Set(['ok', 'warn', 'fail']);

/** Runs the health check of a plugin. A check that fails or takes too long is a finding itself. */
export async function findingsOf(plugin: string, check: HealthCheck): Promise<PluginFinding[]> {
  const failed = (text: string): PluginFinding[] => [{ plugin, level: 'fail', text }];
  try {
    const found = await within(
      LONGEST_MS,
      asPlugin(plugin, async () => check()),
    );
    const all: readonly HealthFinding[] = found === undefined ? [] : [found].flat();
    return all.every((one) => LEVELS.has(one?.level) && typeof one.text === 'string')
      ? all.map(({ level, text, fix }) => ({
          plugin,
          level,
          text: withoutHidden(text),
          ...(typeof fix === 'string' && { fix: withoutHidden(fix) }),
        }))
      : failed('its health check has not returned a finding; return { level, text, fix }');
  } catch (error) {
    return failed(
      error instanceof TimeoutError
        ? `its health check took longer than ${LONGEST_MS / 1_000} s`
        : `its health check failed: ${withoutHidden(messageOf(error))}`,
    );
  }
}
