/**
 * Model folders by name: shipped, converted, or from the hub.
 * @module @laconic/runtime/models
 */
export { convertedFolder } from "./model-folder.ts";
export { foundAgain, openModelFolder } from "./model-folder.ts";
export type { ModelFolderOptions } from "./model-folder.ts";
export { shippedCheckpoint } from "./model-folder.ts";
