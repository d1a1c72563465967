/**
 * Model folders by name: shipped, converted, or from the hub.
 * @module @laconic/runtime/models
 */
export {
  convertedFolder,
  openModelFolder,
  settingsFolders,
  shippedCheckpoint,
  type ModelFolderOptions,
} from "./model-folder.ts";
