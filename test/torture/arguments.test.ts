import test from 'ava';
import { helpText, parseArguments, shareOf, WrongUsage } from './arguments.js';
import type { Scenario } from './scenario.js';

function scenario(name: string, weight = 1): Scenario {
  return { name, weight, promise: `The promise of ${name} holds.`, run: () => Promise.resolve({}) };
}

const ALL = [scenario('kill'), scenario('site'), scenario('requests')];

test('without arguments, all scenarios run for ten minutes with a new seed', (t) => {
  t.deepEqual(parseArguments([], ALL), { minutes: 10, seed: undefined, scenarios: ALL });
});

test('minutes, seed and scenarios are given in this order; the scenarios always run in the order of the list', (t) => {
  t.deepEqual(parseArguments(['0.5', '1234', 'requests', 'kill'], ALL), {
    minutes: 0.5,
    seed: 1234,
    scenarios: [ALL[0], ALL[2]],
  });
});

test('--help and -h are recognized at every position', (t) => {
  t.is(parseArguments(['2', '--help'], ALL), 'help');
  t.is(parseArguments(['-h'], ALL), 'help');
  const text = helpText(ALL);
  t.regex(text, /\$ npm run torture -- 2 1234 kill\n/);
  for (const { name, promise } of ALL) t.regex(text, new RegExp(`^ {2}${name} +${promise}$`, 'm'));
});

for (const [args, message] of [
  [['soon'], 'minutes must be a number above 0, such as 2 or 0.5, not soon'],
  [['0'], 'minutes must be a number above 0, such as 2 or 0.5, not 0'],
  [['-1'], 'minutes must be a number above 0, such as 2 or 0.5, not -1'],
  [['Infinity'], 'minutes must be a number above 0, such as 2 or 0.5, not Infinity'],
  [['kill'], 'scenarios come after minutes and seed, such as: npm run torture -- 10 1234 kill'],
  [['2', 'kill'], 'scenarios come after the seed, such as: npm run torture -- 2 1234 kill'],
  [['2', '1.5'], 'the seed must be a whole number from 0 to 2147483647, not 1.5'],
  [['2', '2147483648'], 'the seed must be a whole number from 0 to 2147483647, not 2147483648'],
  [['2', '1', 'kil'], 'there is no scenario kil; there are kill, site, requests'],
  [['--json'], 'there is no option --json'],
] as const)
  test(`wrong usage is explained: ${args.join(' ')}`, (t) => {
    t.throws(() => parseArguments(args, ALL), { instanceOf: WrongUsage, message });
  });

test('the time is divided by weight, and time that a scenario did not use goes to the later ones', (t) => {
  const scenarios = [scenario('a', 3), scenario('b', 2), scenario('c', 1)];
  t.is(shareOf(60_000, scenarios), 30_000);
  t.is(shareOf(48_000, scenarios.slice(1)), 32_000);
  t.is(shareOf(20_000, scenarios.slice(2)), 20_000);
});

test('a scenario that starts after the end of the time gets no time', (t) => {
  t.is(shareOf(-500, [scenario('late')]), 0);
  t.is(shareOf(1_000, []), 0);
});
