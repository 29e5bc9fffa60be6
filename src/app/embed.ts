// The settings for those who import Pressmark: only app and cli read the config.
export { loadSettings, type Settings } from '../config/load.js';
export { type ConfigInput, defineConfig } from '../config/schema.js';
