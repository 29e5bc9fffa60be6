import './few-optimised.js';
import { isMainThread } from 'node:worker_threads';

// Loaded in each process of AVA, for the builder's thread of a receiver in the test's process.
if (!isMainThread) await import('./normal-priority.js');
