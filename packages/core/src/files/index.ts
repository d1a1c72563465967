/**
 * File systems as arguments, and one in memory.
 * @module @laconic/core/files
 */
export { joinPath, type FileDigest, type FileSystem, type ModelFiles, type OpenFile } from "./file-system.ts";
export { joinBytes, linesIn } from "./bytes.ts";
export { memoryFileSystem } from "./memory-file-system.ts";
export { sha256 } from "./sha256.ts";
