import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * The files of src/ whose functions are on the stack, from the one that began to the one that calls: those that call one
 * another, or wait for one another. A helper that was called and has returned is not among them.
 */
export function filesOnWay(): string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  const frames = (new Error().stack ?? '').split('\n').reverse();
  Error.stackTraceLimit = stackTraceLimit;
  const files = frames.flatMap((frame) => {
    const [, path] = /\/((?:dist\/)?src\/[^()]+)\.[jt]s:\d+:\d+/.exec(frame) ?? [];
    return path !== undefined && frame.includes(`${ROOT}${path}`)
      ? [`${path.replace(/^dist\//, '')}.ts`]
      : [];
  });
  return [...new Set(files)];
}

type Call = (...args: never[]) => unknown;

/**
 * Notes the way to each call of a function of Node.js that is meant, for the rest of this process. An async function that
 * awaits another is on the stack of that one for as long as V8 can follow it: through promises, not through callbacks.
 *
 * @param isMeant gets the arguments of the call.
 */
export function waysTo<Owner extends object, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
  isMeant: (args: readonly unknown[]) => boolean,
): string[][] {
  const ways: string[][] = [];
  const real = owner[name] as Call;
  function noted(this: unknown, ...args: never[]): unknown {
    if (isMeant(args)) ways.push(filesOnWay());
    return Reflect.apply(real, this, args);
  }
  Object.assign(owner, { [name]: noted });
  syncBuiltinESMExports();
  return ways;
}
