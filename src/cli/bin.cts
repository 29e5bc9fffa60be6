#!/usr/bin/env node
// CommonJS: ES modules are read by the very threads whose number is set here.
// Articles wait for the disk in these threads, and four, as Node.js has them, are soon all waiting.
process.env.UV_THREADPOOL_SIZE ??= '8';
void import('./main.js');
