// Loaded before everything else by the processes of `npm test`. Most end within seconds, and V8 would use a tenth of their
// processor time to optimise functions that hardly run again.
import { setFlagsFromString } from 'node:v8';

// Fifteen times as much has to run before a function is optimised. Other versions of V8 have other flags.
if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=1000000');
